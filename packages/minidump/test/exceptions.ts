// Creates exceptions and system information for tests that only need a few of their fields.
import type { Exception } from '../src/streams/exception.ts';
import type { SystemInfo } from '../src/streams/system-info.ts';

/** Returns an exception of the first thread. Omitted fields are 0 or empty. */
export function exceptionOf(fields: Partial<Exception>): Exception {
  return {
    threadId: 1,
    code: 0,
    flags: 0,
    nested: 0n,
    address: 0n,
    parameters: [],
    context: { rva: 0, size: 0 },
    ...fields,
  };
}

/** Returns system information, with an amd64 CPU by default. */
export function systemOf(fields: Partial<SystemInfo> & Pick<SystemInfo, 'os'>): SystemInfo {
  return {
    platformId: 0,
    version: { major: 1, minor: 0, build: 0 },
    servicePack: '',
    cpu: 'amd64',
    processorArchitecture: 9,
    cpuInfo: '',
    cpuCount: 1,
    ...fields,
  };
}
