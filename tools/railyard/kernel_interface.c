/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_interface.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool
is_on(int fd, const char *name, uint32_t question)
{
	struct ethtool_value value = {.cmd = question};
	struct ifreq request = {.ifr_data = (char *)&value};

	for (int i = 0; i < IF_NAMESIZE && name[i] != '\0'; i++)
		request.ifr_name[i] = name[i];
	return ioctl(fd, SIOCETHTOOL, &request) == 0 && value.data != 0;
}

bool
kernel_interface_offloads(uint32_t interface)
{
	char name[IF_NAMESIZE] = "";
	bool on;
	int fd;

	if (interface == 0 || if_indextoname(interface, name) == NULL)
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	on = is_on(fd, name, ETHTOOL_GTXCSUM) || is_on(fd, name, ETHTOOL_GGSO);
	close(fd);
	return on;
}
