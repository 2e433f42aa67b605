// The rule for faults of a disk or of memory, which happen in any function.
import type { Rule } from './rule.ts';

/** Codes of Windows for a page that could not be read in: a broken disk, or one that was pulled out. */
const HARDWARE =
  /STATUS_(?:DEVICE_DATA_ERROR|DEVICE_HARDWARE_ERROR|CRC_ERROR|DISK_CORRUPT_ERROR|IO_DEVICE_ERROR|NO_SUCH_DEVICE|NONEXISTENT_SECTOR)|MEMERR/;

export const badHardwareRule: Rule = {
  name: 'bad-hardware',
  applies: ({ reason }) => HARDWARE.test(reason ?? ''),
  act: ({ reason }, signature) => ({
    signature: `bad hardware | ${signature}`,
    notes: [`${reason} comes of a device, not of the program`],
  }),
};
