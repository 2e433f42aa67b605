// Turns the section and offset that records give into addresses relative to the start of the image.
import { DebugSymbolsError } from '../error.ts';
import { u32 } from './bytes.ts';
import type { DebugStreams } from './dbi.ts';
import type { Msf } from './msf.ts';
import { type MovedRange, Omap } from './omap.ts';

const HEADER_SIZE = 40;
/** Records have 16 bits for the number of a section. */
const MAX_SECTIONS = 0xffff;
/** Bytes for eight million blocks of code. */
const MAX_OMAP_SIZE = 1 << 26;
const EXECUTABLE = 0x20000000;

/** A section of the image. Sections count from 1 in records. */
export interface ImageSection {
  /** Relative to the start of the image. */
  readonly address: number;
  /** Bytes in memory. */
  readonly size: number;
  readonly executable: boolean;
}

/** The sections that records refer to, and where their bytes are in the image. */
export class AddressMap {
  readonly #sections: readonly ImageSection[];
  readonly #omap: Omap | undefined;

  constructor(sections: readonly ImageSection[], omap: Omap | undefined) {
    this.#sections = sections;
    this.#omap = omap;
  }

  get rearranged(): boolean {
    return this.#omap !== undefined;
  }

  get isEmpty(): boolean {
    return this.#sections.length === 0;
  }

  section(index: number): ImageSection | undefined {
    return this.#sections[index - 1];
  }

  /** Returns the address at which the linker placed an offset of a section; -1 if there is no such place. */
  linkedAddress(section: number, offset: number): number {
    const found = this.#sections[section - 1];
    if (found === undefined || offset >= found.size) return -1;
    const address = found.address + offset;
    return address <= 0xffffffff ? address : -1;
  }

  /** Returns where a linked address is in the image, or undefined if it was removed. */
  imageAddress(linked: number): number | undefined {
    return this.#omap === undefined ? linked : this.#omap.map(linked);
  }

  /** Returns where the bytes of a linked range are in the image, by ascending address there. */
  imageRanges(linked: number, size: number): MovedRange[] {
    return this.#omap === undefined ? [{ linked, address: linked, size }] : this.#omap.mapRange(linked, size);
  }
}

/**
 * Reads the section headers of the PDB, or takes those of the image if it has none. A program that was rearranged has
 * the headers from before, which records refer to, in another stream.
 */
export function readAddressMap(msf: Msf, streams: DebugStreams, ofImage: readonly ImageSection[]): AddressMap {
  const headers = readSections(msf, streams.sectionHeaders);
  const current = headers.length > 0 ? headers : ofImage;
  const fromLinked = readOmap(msf, streams.omapFromLinked);
  if (fromLinked.length === 0) return new AddressMap(current, undefined);
  const original = readSections(msf, streams.originalSectionHeaders);
  const omap = new Omap(fromLinked, readOmap(msf, streams.omapFromImage));
  return new AddressMap(original.length > 0 ? original : current, omap);
}

function readOmap(msf: Msf, index: number | undefined): Uint8Array {
  const stream = index === undefined ? undefined : msf.stream(index);
  if (stream === undefined) return new Uint8Array();
  if (stream.size > MAX_OMAP_SIZE) throw new DebugSymbolsError('too-large', 'the PDB has too many moved blocks');
  return stream.readAll();
}

function readSections(msf: Msf, index: number | undefined): ImageSection[] {
  const stream = index === undefined ? undefined : msf.stream(index);
  const bytes = stream?.read(0, Math.min(stream.size, MAX_SECTIONS * HEADER_SIZE)) ?? new Uint8Array();
  const sections: ImageSection[] = [];
  for (let at = 0; at + HEADER_SIZE <= bytes.length; at += HEADER_SIZE) {
    sections.push({
      address: u32(bytes, at + 12),
      size: Math.max(u32(bytes, at + 8), u32(bytes, at + 16)),
      executable: (u32(bytes, at + 36) & EXECUTABLE) !== 0,
    });
  }
  return sections;
}
