// MiscInfoStream: the process’s id and times, and, of newer writers, its rights, the time zone and the system’s build.
import type { Cursor } from '../bytes.ts';
import type { StreamKind } from '../minidump.ts';
import { decodeUtf16 } from './strings.ts';

/** Each part is undefined when the writer did not know it. */
export type MiscInfo = {
  readonly processId: number | undefined;
  /** Creation: seconds since 1970 (UTC). CPU times: seconds. */
  readonly processTimes: { readonly create: number; readonly user: number; readonly kernel: number } | undefined;
  /** In MHz, and idle states as Windows numbers them. */
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
  /** Full version of the system: `10.0.14393.0 (rs1_release.160715-1616)`. */
  readonly buildString: string | undefined;
  readonly debugBuildString: string | undefined;
  readonly processCookie: number | undefined;
};

/** Biases are minutes to add to local time for UTC. */
export type TimeZone = {
  /** `TIME_ZONE_ID_UNKNOWN` 0, `_STANDARD` 1, `_DAYLIGHT` 2: what was in force. */
  readonly id: number;
  readonly bias: number;
  readonly standardName: string;
  readonly standardBias: number;
  readonly daylightName: string;
  readonly daylightBias: number;
};

/** Bits of `Flags1`: which fields count. */
const HAS_PROCESS_ID = 0x1;
const HAS_PROCESS_TIMES = 0x2;
const HAS_PROCESSOR_POWER = 0x4;
const HAS_INTEGRITY = 0x10;
const HAS_EXECUTE_FLAGS = 0x20;
const HAS_TIME_ZONE = 0x40;
const HAS_PROTECTED_PROCESS = 0x80;
const HAS_BUILD_STRING = 0x100;
const HAS_PROCESS_COOKIE = 0x200;

/** Where the fields that the five versions of the structure added begin. */
const POWER_AT = 24;
const INTEGRITY_AT = 44;
const TIME_ZONE_AT = 56;
const BUILD_STRINGS_AT = 232;
const COOKIE_AT = 1360;
const BUILD_STRING_SIZE = 520;
const DEBUG_BUILD_STRING_SIZE = 80;

/**
 * The versions only add at the end, so that each field is read when its flag is set and it is there; which version
 * a writer meant does not matter.
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

/** `TIME_ZONE_INFORMATION`; the dates on which daylight saving begins and ends are passed over. */
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
