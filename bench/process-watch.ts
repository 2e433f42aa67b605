// Watches what another process takes of the machine (Linux): its resident memory and its processor time.
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 20;
/** USER_HZ, which Linux keeps at 100 for programs. */
const TICKS_A_SECOND = 100;

/** Resident memory of a process now, in bytes (VmRSS of proc_pid_status(5)). */
export function residentOf(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? Number.NaN) * 1024;
}

/** Processor time that a process has taken so far, its threads and the kernel's work for it included, in seconds (proc_pid_stat(5)). */
export function processorSecondsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The fields behind the program's name, which may hold spaces: the 14th and 15th of all are utime and stime.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** The most resident memory, in bytes, that `pid` had while `work` ran. */
export async function peakDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = residentOf(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentOf(pid));
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(peak, residentOf(pid));
}
