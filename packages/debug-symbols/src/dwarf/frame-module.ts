// What the call frames of a section are part of.
import type { SymbolSink } from '../symbol-sink.ts';
import type { RegisterNames } from './registers.ts';

export type FrameModule = {
  readonly sink: SymbolSink;
  readonly base: number;
  readonly littleEndian: boolean;
  readonly addressSize: number;
  readonly registers: RegisterNames;
  /** The register with the return address after a call, on CPUs that have one. */
  readonly linkRegister: number | undefined;
  readonly isCode: (address: number) => boolean;
};
