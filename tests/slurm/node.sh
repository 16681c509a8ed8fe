#!/bin/sh
# Makes this machine a Slurm cluster of one node, for the test of `fpgacc tune --slurm`; Debian, as root:
#     apt-get install --no-install-recommends slurm-wlm munge
#     tests/slurm/node.sh start; tests/slurm/node.sh check; tests/slurm/node.sh stop
# `check` tunes a program with its builds as jobs, is killed while they run, and goes on.
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

check() {
    root=$(cd "$(dirname "$0")/../.." && pwd)
    fpgacc=${FPGACC:-$root/target/debug/fpgacc}
    work=$(mktemp -d)
    cp "$root"/tests/fixture/tune.c "$root"/tests/fixture/tune.cl "$work"
    cd "$work"
    set -- tune --platform=pocl --runs=1 --slurm=--mem=0 --jobs=4 --strategy=exhaustive \
        --space=space.yaml tune.c tune.cl -- 4096
    cat >space.yaml <<END
version: 1
parameters:
- {name: scale.form, values: [ndrange, swi]}
- {name: scale.coarsen, values: [1, 2, 4]}
END
    "$fpgacc" "$@" & pid=$!
    sleep 3
    kill -9 $pid || true
    wait $pid || true
    "$fpgacc" "$@" | tee told
    grep -q "^4 builds measured" told
    # No job was handed in twice: each point was built by one.
    jobs=$(cat fpgacc-tune/points/*/slurm-job | wc -c)
    test "$jobs" -gt 0
    points=$(grep -h '^{"point"' fpgacc-tune/journals/*.jsonl | sed 's/,"outcome".*//' | sort)
    test "$(echo "$points" | wc -l)" = 4
    test -z "$(echo "$points" | uniq -d)"
    rm -r "$work"
    echo "builds ran as jobs of Slurm"
}

"$1"
