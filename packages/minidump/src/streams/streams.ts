// The registry of all supported streams. To add one, create a file next to this one and add a line here.
import type { StreamKind } from '../minidump.ts';
import { ASSERTION, BREAKPAD_INFO } from './breakpad-info.ts';
import { CRASHPAD_INFO } from './crashpad-info.ts';
import { EXCEPTION } from './exception.ts';
import { HANDLE_DATA } from './handle-data.ts';
import { LINUX_MAPS } from './linux-maps.ts';
import {
  LINUX_AUXV,
  LINUX_COMMAND_LINE,
  LINUX_CPU_INFO,
  LINUX_ENVIRONMENT,
  LINUX_LSB_RELEASE,
  LINUX_PROC_LIMITS,
  LINUX_PROC_STATUS,
} from './linux-proc.ts';
import { MAC_BOOT_ARGS, MAC_CRASH_INFO } from './mac-crash-info.ts';
import { MEMORY_INFO, MEMORY_LIST, MEMORY64_LIST } from './memory.ts';
import { MISC_INFO } from './misc-info.ts';
import { MODULES, UNLOADED_MODULES } from './modules.ts';
import { SOFT_ERRORS } from './soft-errors.ts';
import { SYSTEM_INFO } from './system-info.ts';
import { THREAD_INFO, THREAD_NAMES, THREADS } from './threads.ts';

/** Sorted by stream type. */
export const STREAMS: readonly StreamKind<unknown>[] = [
  THREADS,
  MODULES,
  MEMORY_LIST,
  EXCEPTION,
  SYSTEM_INFO,
  MEMORY64_LIST,
  HANDLE_DATA,
  UNLOADED_MODULES,
  MISC_INFO,
  MEMORY_INFO,
  THREAD_INFO,
  THREAD_NAMES,
  CRASHPAD_INFO,
  BREAKPAD_INFO,
  ASSERTION,
  LINUX_CPU_INFO,
  LINUX_PROC_STATUS,
  LINUX_LSB_RELEASE,
  LINUX_COMMAND_LINE,
  LINUX_ENVIRONMENT,
  LINUX_AUXV,
  LINUX_MAPS,
  MAC_CRASH_INFO,
  MAC_BOOT_ARGS,
  LINUX_PROC_LIMITS,
  SOFT_ERRORS,
];
