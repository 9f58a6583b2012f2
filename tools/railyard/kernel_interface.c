/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_interface.h"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
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

bool
kernel_interface_received(uint32_t interface, uint32_t *packets)
{
	char name[IF_NAMESIZE] = "";
	struct ifaddrs *list;
	bool found = false;

	if (interface == 0 || if_indextoname(interface, name) == NULL || getifaddrs(&list) != 0)
		return false;
	for (const struct ifaddrs *i = list; i != NULL && !found; i = i->ifa_next) {
		const struct rtnl_link_stats *stats = i->ifa_data;

		if (i->ifa_addr == NULL || i->ifa_addr->sa_family != AF_PACKET || stats == NULL ||
		    strcmp(i->ifa_name, name) != 0)
			continue;
		*packets = stats->rx_packets;
		found = true;
	}
	freeifaddrs(list);
	return found;
}
