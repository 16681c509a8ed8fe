#!/bin/sh
# Makes this machine a Slurm cluster of one node, for the test of `fpgacc tune --slurm`; Debian, as root:
#     apt-get install --no-install-recommends slurm-wlm munge
#     tests/slurm/node.sh start && cargo test --test tune slurm; tests/slurm/node.sh stop
set -e
state=${SLURM_STATE:-/tmp/fpgacc-slurm}
export SLURM_CONF=$state/slurm.conf
name=$(hostname -s)

start() {
    mkdir -p "$state/spool" "$state/save" /run/munge
    test -f /etc/munge/munge.key || /usr/sbin/mungekey --create
    chown munge:munge /run/munge /etc/munge/munge.key
    pgrep -x munged >"$state/munged.before" || su -s /bin/sh munge -c /usr/sbin/munged
    cat >"$SLURM_CONF" <<END
ClusterName=fpgacc
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation=$state/save
SlurmdSpoolDir=$state/spool
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.pid
SlurmctldLogFile=$state/slurmctld.log
SlurmdLogFile=$state/slurmd.log
NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$name Default=YES MaxTime=INFINITE State=UP
END
    slurmctld -f "$SLURM_CONF"
    slurmd -f "$SLURM_CONF"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sinfo --noheader --format=%T | grep -q idle && break
        sleep 1
    done
    sinfo
}

stop() {
    for daemon in slurmd slurmctld; do
        test ! -f "$state/$daemon.pid" || kill "$(cat "$state/$daemon.pid")" || true
    done
}

"$1"
