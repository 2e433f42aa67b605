// Failed checks, assertions and panics of Odin, which have the place of the check and no other frames.
import { locationOf } from '../scan.ts';
import { shownFile } from '../source-names.ts';
import { frame, type TextFormat } from '../trace.ts';

/** `nest.odin(12:5) text`, or `nest.odin:12:5: text` of builds with `-error-pos-style:unix`. */
const PLACED = /^([^\s"(][^"(]{0,300}\.odin)(?:\((\d{1,7}(?::\d{1,5})?)\)|:(\d{1,7}(?::\d{1,5})?):) (.{1,900})$/;
/** What the runtime says. The compiler's own errors look like these, and begin with other words. */
const CHECK = /^(?:Index -?\d|Invalid (?:slice|dynamic array|type assertion|map)\b|Matrix indices \[)/;

export const odin: TextFormat = {
  name: 'Odin',
  read(lines, at) {
    const [, file, inParentheses, unix, text = ''] = PLACED.exec(lines[at]!.trim()) ?? [];
    if (file === undefined) return null;
    const [, type = 'Odin error', message = text] =
      /^(runtime assertion|unsatisfied ensure|panic|not yet implemented)(?:: (.{1,900}))?$/i.exec(text) ?? [];
    if (type === 'Odin error' && !CHECK.test(text)) return null;
    const { line, column } = locationOf(`${file}:${inParentheses ?? unix}`);
    const own = !/[\\/]odin[^\\/]{0,60}[\\/](?:base|core|vendor)[\\/]/i.test(file);
    const main = {
      type,
      message: message === type ? '' : message,
      frames: [frame({ file: shownFile(file), line, column, own })],
    };
    return { isNative: false, isFatal: true, main, end: at + 1 };
  },
};
