// Watches the resident memory of another process (Linux).
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 20;

/** Resident memory of a process now, in bytes (VmRSS of proc_pid_status(5)). */
export function residentOf(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? Number.NaN) * 1024;
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
