// The supported CPUs, one line each.
import { AMD64 } from './amd64.ts';
import { ARM } from './arm.ts';
import { ARM64 } from './arm64.ts';
import type { Cpu, CpuName } from './cpu.ts';
import { X86 } from './x86.ts';

export const CPUS: Readonly<Record<CpuName, Cpu>> = { x86: X86, amd64: AMD64, arm: ARM, arm64: ARM64 };
