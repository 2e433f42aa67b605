// Native crashes of Android, as debuggerd writes them into a tombstone and the log.
import { nativeFrame, withoutDistance } from '../native-frames.ts';
import { after, between, splitFirst, splitLast } from '../scan.ts';
import { readFrames, type TextFormat, type TraceFrame } from '../trace.ts';

const MAX_HEAD = 60;

export const tombstone: TextFormat = {
  name: 'Android tombstone',
  read(lines, at) {
    const signal = signalOf(lines[at]!);
    if (signal === null) {
      // Only the frames, such as Unity's own report of a crash, or the end of a tombstone.
      if (frameOf(lines[at]!) === null) return null;
      const { frames, end } = readFrames(lines, at, frameOf);
      return { isNative: true, isFatal: true, main: { type: 'Crash', message: '', frames }, end };
    }
    let message = '';
    let next = at + 1;
    for (; next < lines.length && next < at + MAX_HEAD && frameOf(lines[next]!) === null; next++) {
      const text = lines[next]!.trim();
      if (signalOf(text) !== null || text.startsWith('*** ***')) break;
      message = between(text, "Abort message: '", "'") ?? after(text, 'Abort message: ') ?? message;
    }
    const { frames, end } = readFrames(lines, next, frameOf);
    return { isNative: true, isFatal: true, main: { type: signal, message, frames }, end: Math.max(end, at + 1) };
  },
};

/** `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10` and `Fatal signal 6 (SIGABRT), code -6 in tid …`. */
function signalOf(line: string): string | null {
  const found = /^(?:Fatal )?signal \d{1,2} \((SIG\w{2,8})\)(?:, code -?\d{1,4} \((\w{1,20}))?/.exec(line.trim());
  if (found === null) return null;
  const [, name, code] = found;
  return code === undefined || !/^(?:SEGV|BUS|FPE|ILL|TRAP)_/.test(code) ? name! : `${name} / ${code}`;
}

/** `#03 pc 00000000000a1b2c  /data/app/…/libgame.so (Player::move(int)+12) (BuildId: 4f3a)`; before Android 8, without `+12`. */
function frameOf(line: string): TraceFrame | null {
  const found = /^#\d{2,4} {1,3}pc (?:0x)?([0-9a-f]{8,16}) {1,4}(.{1,900})$/.exec(line.trim());
  if (found === null) return null;
  const text = found[2]!.replace(/ \(BuildId: [^)]{0,100}\)/, '').replace(/ \(offset 0x[0-9a-f]{1,16}\)/, '');
  const [path, called] = splitFirst(text, ' (') ?? [text, ''];
  // The name may have parentheses itself.
  const inside = called.endsWith(')') ? called.slice(0, -1) : (splitLast(called, ')')?.[0] ?? called);
  const name = withoutDistance(inside);
  return nativeFrame({
    module: path.trim(),
    function: name === '' ? null : name,
    offset: name === '' ? `0x${found[1]!.replace(/^0{1,15}/, '')}` : null,
  });
}
