// Opens files for a conversion, and closes them all at the end, with the temporary files of what was inflated.
import { closeSync, fstatSync, openSync } from 'node:fs';
import { type ByteSource, FileSource } from './byte-source.ts';
import { Scratch } from './temporary-file.ts';

export class OpenFiles {
  readonly scratch: Scratch;
  readonly #descriptors: number[] = [];

  constructor(scratch = new Scratch()) {
    this.scratch = scratch;
  }

  /** Throws the error of the system if the file can't be opened. */
  open(path: string): ByteSource {
    const descriptor = openSync(path, 'r');
    this.#descriptors.push(descriptor);
    return new FileSource(descriptor, fstatSync(descriptor).size);
  }

  /** Undefined if there is no such file. */
  tryOpen(path: string): ByteSource | undefined {
    try {
      const source = this.open(path);
      return source.size > 0 ? source : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.scratch.closeInputs();
    for (const descriptor of this.#descriptors.splice(0)) closeSync(descriptor);
  }
}
