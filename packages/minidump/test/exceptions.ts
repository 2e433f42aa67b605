// Exceptions and systems as the streams would give them, for tests that are about a few of their fields.
import type { Exception } from '../src/streams/exception.ts';
import type { SystemInfo } from '../src/streams/system-info.ts';

/** An exception of the first thread; every field that is not given is 0 or empty. */
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

/** A system with an amd64 CPU, unless another is given. */
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
