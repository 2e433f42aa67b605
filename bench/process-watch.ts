// Watches the resident memory and the CPU time of another process (Linux).
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 20;
/** USER_HZ, which Linux keeps at 100 for programs. */
const TICKS_PER_SECOND = 100;

/** Returns the current resident memory of a process, in bytes (VmRSS in proc_pid_status(5)). */
export function residentOf(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? Number.NaN) * 1024;
}

/** Returns the CPU time of a process so far, including its threads and kernel time, in seconds (proc_pid_stat(5)). */
export function cpuSecondsOf(pid: number): number {
  // The 14th and 15th fields are utime and stime.
  return ticksOf(pid, 14, 15) / TICKS_PER_SECOND;
}

/** Returns the CPU time of a process and of all its children, running and ended, in seconds. */
export function cpuSecondsWithChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  // The next two are cutime and cstime, of the children that have ended.
  const ended = ticksOf(pid, 16, 17) / TICKS_PER_SECOND;
  return children.reduce((sum, child) => sum + cpuSecondsOf(child), cpuSecondsOf(pid) + ended);
}

/** The sum of these fields of the process, which are counted from 1. */
function ticksOf(pid: number, ...numbers: number[]): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The first two are the pid and the program's name, which can contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return numbers.reduce((sum, number) => sum + Number(fields[number - 3]), 0);
}

/** Returns the maximum resident memory of `pid` while `work` ran, in bytes. */
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

/** Watches the resident memory of a process until it ends. `end` returns the maximum in bytes. */
export function watchPeak(pid: number): { end(): number } {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const resident = residentOf(pid);
      // A process that is ending has none.
      if (resident > peak) peak = resident;
    } catch {
      // It has ended.
    }
  }, SAMPLE_MS);
  return {
    end() {
      clearInterval(timer);
      return peak;
    },
  };
}
