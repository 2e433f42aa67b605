// The rule for disk and memory faults, which can happen in any function.
import type { Rule } from './rule.ts';

/** Windows codes for a page that could not be read from disk: the disk is broken or was removed. */
const HARDWARE =
  /STATUS_(?:DEVICE_DATA_ERROR|DEVICE_HARDWARE_ERROR|CRC_ERROR|DISK_CORRUPT_ERROR|IO_DEVICE_ERROR|NO_SUCH_DEVICE|NONEXISTENT_SECTOR)|MEMERR/;

export const badHardwareRule: Rule = {
  name: 'bad-hardware',
  applies: ({ reason }) => HARDWARE.test(reason ?? ''),
  act: ({ reason }, signature) => ({
    signature: `bad hardware | ${signature}`,
    notes: [`${reason} is a hardware fault, not a fault of the program`],
  }),
};
