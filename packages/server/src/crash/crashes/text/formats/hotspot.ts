// Crashes of Java's virtual machine: the report that it prints, and writes to hs_err_pid1234.log.
import { nativeFrame } from '../native-frames.ts';
import { readFrames, type TextFormat, type TraceFrame } from '../trace.ts';
import { javaFrame } from './java.ts';

const HEADING = 'A fatal error has been detected by the Java Runtime Environment:';
/** Lines up to the frame that failed, and up to the list of frames in the file. */
const MAX_HEAD = 24;
const MAX_FILE = 120;

export const hotspot: TextFormat = {
  name: 'Java VM crash',
  read(lines, at) {
    if (!lines[at]!.includes(HEADING)) return null;
    const head = lines.slice(at + 1, at + MAX_HEAD).map(bare);
    const type =
      head.map((line) => /^(\w{1,60}) \(0x?[0-9a-f]{1,16}\) at pc=/i.exec(line)?.[1]).find(Boolean) ?? 'Crash';
    const problem = head.findIndex((line) => line.startsWith('Problematic frame:'));
    const failed = problem < 0 ? null : frameOf(head[problem + 1] ?? '');
    for (let next = at + 1; next < lines.length && next < at + MAX_FILE; next++) {
      if (!/^(?:Native|Java) frames: /.test(lines[next]!)) continue;
      const { frames, end } = readFrames(lines, next + 1, frameOf);
      if (frames.length > 0) return { isNative: true, isFatal: true, main: { type, message: '', frames }, end };
    }
    const frames = failed === null ? [] : [failed];
    return { isNative: true, isFatal: true, main: { type, message: '', frames }, end: at + 1 + head.length };
  },
};

/** The console has a `#` before each line. */
function bare(line: string): string {
  return line.replace(/^#\s{0,4}/, '').trim();
}

/**
 * `C  [libowls.so+0x2f1c]  alcOpenDevice+0x20`, `J 1234 c2 owls.Nest.land(I)V (12 bytes) @ 0x… [0x…+0x2c]`,
 * `j  owls.Nest.land(I)V+12`, `v  ~StubRoutines::call_stub`.
 */
function frameOf(line: string): TraceFrame | null {
  const [, kind, rest] = /^([CVJjvA]) {1,4}(\S.{0,900})$/.exec(line.trim()) ?? [];
  if (kind === undefined || rest === undefined) return null;
  const native = /^\[([^\]+]{1,200})\+(0x[0-9a-f]{1,16})\](?: {1,4}(.{1,600}?)(?:\+0x[0-9a-f]{1,16})?)?$/.exec(rest);
  if (native !== null) return nativeFrame({ module: native[1]!, offset: native[2]!, function: native[3] ?? null });
  if (kind === 'v') return nativeFrame({ module: 'jvm', function: rest.replace(/^~/, '') });
  const method = /([\w$./<>]{1,300})\([^)]{0,300}\)/.exec(rest)?.[1];
  return method === undefined ? null : javaFrame(method);
}
