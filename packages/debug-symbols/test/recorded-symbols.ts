// A sink that keeps what it is given, as the lines of a symbol file.
import type { CallFrameRecord, FunctionRecord, PublicRecord, SymbolSink } from '../src/symbol-sink.ts';

/** Only has what programs without debug information have: no source files, and no inlined calls. */
export class RecordedSymbols implements SymbolSink {
  readonly lines: string[] = [];

  file(): number {
    return 0;
  }

  origin(): number {
    return 0;
  }

  function({ address, size, parameterSize, name }: FunctionRecord): void {
    this.lines.push(`FUNC ${hex(address)} ${hex(size)} ${hex(parameterSize)} ${name}`);
  }

  publicSymbol({ address, parameterSize, name }: PublicRecord): void {
    this.lines.push(`PUBLIC ${hex(address)} ${hex(parameterSize)} ${name}`);
  }

  callFrames({ address, size, rules, changes }: CallFrameRecord): void {
    this.lines.push(`STACK CFI INIT ${hex(address)} ${hex(size)} ${rules}`);
    for (const change of changes) this.lines.push(`STACK CFI ${hex(change.address)} ${change.rules}`);
  }

  windowsFrame(): void {}
}

function hex(value: number): string {
  return value.toString(16);
}
