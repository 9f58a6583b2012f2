# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# What the scripts of this directory share. Sourced, from the root of the tree.

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# packages_missing NEED...: the packages of tools/packages.txt for these needs, not installed.
packages_missing()
{
	local need package

	while read -r need package; do
		[[ " $* " == *" $need "* ]] || continue
		[[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || echo "$package"
	done < <(grep -v '^#' tools/packages.txt)
}

# packages_install NEED...: install what is missing, with as few rights and downloads as that takes.
packages_install()
{
	local -a missing sudo=()

	command -v dpkg-query >/dev/null ||
		die "this is not Debian: install the packages of tools/packages.txt in your system's way, then use meson"
	mapfile -t missing < <(packages_missing "$@")
	((${#missing[@]})) || return 0
	if ((EUID)); then
		sudo=(sudo)
		[[ -t 0 ]] || sudo+=(-n)
		"${sudo[@]}" true 2>/dev/null ||
			die "missing packages, and neither root nor sudo to install them: ${missing[*]}"
	fi
	sudo+=(env DEBIAN_FRONTEND=noninteractive)

	echo "Installing ${missing[*]}"
	# No package lists, or ones that name what is gone: fetch them, then once more.
	if apt_install --simulate "${missing[@]}" &>/dev/null && apt_install "${missing[@]}"; then
		return 0
	fi
	"${sudo[@]}" apt-get update -q </dev/null || die "apt-get update failed"
	apt_install "${missing[@]}" || die "apt-get could not install: ${missing[*]}"
}

# Uses packages_install's `sudo`.
apt_install()
{
	"${sudo[@]}" apt-get install -q -y --no-install-recommends \
		-o Dpkg::Options::=--force-confold "$@" </dev/null
}

# tree_setup DIR OPTION...: configure a build tree, or bring one that exists to these options.
tree_setup()
{
	local dir=$1

	shift
	if [[ -f $dir/build.ninja ]]; then
		meson setup --reconfigure "$dir" "$@" && return 0
		# Made by another compiler or another meson.
		meson setup --wipe "$dir" "$@"
	elif [[ -d $dir/meson-private ]]; then
		meson setup --wipe "$dir" "$@"
	else
		meson setup "$dir" "$@"
	fi
}
