// MiscInfoStream: the id and times of the process and, in newer versions, its rights, the time zone and the OS build.
import type { Cursor } from '../bytes.ts';
import type { StreamKind } from '../minidump.ts';
import { decodeUtf16 } from './strings.ts';

/** Each field is undefined if the writer did not know it. */
export type MiscInfo = {
  readonly processId: number | undefined;
  /** `create` is in seconds since 1970 (UTC); the CPU times `user` and `kernel` are in seconds. */
  readonly processTimes: { readonly create: number; readonly user: number; readonly kernel: number } | undefined;
  /** Frequencies in MHz, and the numbers of Windows idle states. */
  readonly processorPower:
    | {
        readonly maxMhz: number;
        readonly currentMhz: number;
        readonly mhzLimit: number;
        readonly maxIdleState: number;
        readonly currentIdleState: number;
      }
    | undefined;
  /** `SECURITY_MANDATORY_*_RID` of the process. */
  readonly integrityLevel: number | undefined;
  readonly executeFlags: number | undefined;
  readonly protectedProcess: boolean | undefined;
  readonly timeZone: TimeZone | undefined;
  /** The full OS version: `10.0.14393.0 (rs1_release.160715-1616)`. */
  readonly buildString: string | undefined;
  readonly debugBuildString: string | undefined;
  readonly processCookie: number | undefined;
};

/** A bias is the number of minutes to add to local time to get UTC. */
type TimeZone = {
  /** What was active: `TIME_ZONE_ID_UNKNOWN` 0, `TIME_ZONE_ID_STANDARD` 1 or `TIME_ZONE_ID_DAYLIGHT` 2. */
  readonly id: number;
  readonly bias: number;
  readonly standardName: string;
  readonly standardBias: number;
  readonly daylightName: string;
  readonly daylightBias: number;
};

/** Bits of `Flags1`, which mark the valid fields. */
const HAS_PROCESS_ID = 0x1;
const HAS_PROCESS_TIMES = 0x2;
const HAS_PROCESSOR_POWER = 0x4;
const HAS_INTEGRITY = 0x10;
const HAS_EXECUTE_FLAGS = 0x20;
const HAS_TIME_ZONE = 0x40;
const HAS_PROTECTED_PROCESS = 0x80;
const HAS_BUILD_STRING = 0x100;
const HAS_PROCESS_COOKIE = 0x200;

/** Offsets of the fields that the versions of the structure added. */
const POWER_AT = 24;
const INTEGRITY_AT = 44;
const TIME_ZONE_AT = 56;
const BUILD_STRINGS_AT = 232;
const COOKIE_AT = 1360;
const BUILD_STRING_SIZE = 520;
const DEBUG_BUILD_STRING_SIZE = 80;

/**
 * Each version only adds fields at the end. So a field is read if its flag is set and the stream is long enough, without
 * knowing the version.
 */
export const MISC_INFO: StreamKind<MiscInfo> = {
  type: 15,
  name: 'MiscInfoStream',
  read: ({ bytes }) => {
    const flags = bytes.u32(4);
    const field = <T>(flag: number, at: number, size: number, read: (cursor: Cursor) => T): T | undefined =>
      (flags & flag) !== 0 && at + size <= bytes.size ? read(bytes.cursor(at)) : undefined;
    const u32 = (cursor: Cursor) => cursor.u32();
    return {
      processId: field(HAS_PROCESS_ID, 8, 4, u32),
      processTimes: field(HAS_PROCESS_TIMES, 12, 12, (cursor) => ({
        create: cursor.u32(),
        user: cursor.u32(),
        kernel: cursor.u32(),
      })),
      processorPower: field(HAS_PROCESSOR_POWER, POWER_AT, 20, readPower),
      integrityLevel: field(HAS_INTEGRITY, INTEGRITY_AT, 4, u32),
      executeFlags: field(HAS_EXECUTE_FLAGS, INTEGRITY_AT + 4, 4, u32),
      protectedProcess: field(HAS_PROTECTED_PROCESS, INTEGRITY_AT + 8, 4, (cursor) => cursor.u32() !== 0),
      timeZone: field(HAS_TIME_ZONE, TIME_ZONE_AT, 176, readTimeZone),
      buildString: field(HAS_BUILD_STRING, BUILD_STRINGS_AT, BUILD_STRING_SIZE, (cursor) =>
        decodeUtf16(cursor.window(BUILD_STRING_SIZE)),
      ),
      debugBuildString: field(
        HAS_BUILD_STRING,
        BUILD_STRINGS_AT + BUILD_STRING_SIZE,
        DEBUG_BUILD_STRING_SIZE,
        (cursor) => decodeUtf16(cursor.window(DEBUG_BUILD_STRING_SIZE)),
      ),
      processCookie: field(HAS_PROCESS_COOKIE, COOKIE_AT, 4, u32),
    };
  },
};

function readPower(cursor: Cursor): NonNullable<MiscInfo['processorPower']> {
  return {
    maxMhz: cursor.u32(),
    currentMhz: cursor.u32(),
    mhzLimit: cursor.u32(),
    maxIdleState: cursor.u32(),
    currentIdleState: cursor.u32(),
  };
}

/** Reads `TIME_ZONE_INFORMATION`, skipping the dates on which daylight saving time starts and ends. */
function readTimeZone(cursor: Cursor): TimeZone {
  const name = () => decodeUtf16(cursor.window(64));
  const id = cursor.u32();
  const bias = cursor.u32() | 0;
  const standardName = name();
  cursor.skip(16);
  const standardBias = cursor.u32() | 0;
  const daylightName = name();
  cursor.skip(16);
  return { id, bias, standardName, standardBias, daylightName, daylightBias: cursor.u32() | 0 };
}
