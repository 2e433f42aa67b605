// Relates the addresses of native frames to the images that contain them, so that their symbols can be looked up now, and
// again when symbols come later.
import type { SentryFrame, SentryImage, Stack, StoredEvent } from './event/event.ts';

export type NativeFrame = {
  readonly frame: SentryFrame;
  /** The image that contains the address; null outside of all. */
  readonly image: SentryImage | null;
  /** Of the instruction, absolute; null for a frame without an address. */
  readonly address: bigint | null;
  /**
   * Where to look for the function, relative to the image: the instruction itself for the frame that crashed, and a byte
   * before the return address for its callers. Browsers name the calls themselves. Null outside of all images.
   */
  readonly offset: bigint | null;
};

/** The images of an event by address. Finding one takes a few steps, however many there are. */
export class ImageMap {
  readonly #images: readonly SentryImage[];
  readonly #sorted: readonly (SentryImage & { readonly address: bigint })[];

  constructor(images: readonly SentryImage[]) {
    this.#images = images;
    this.#sorted = images
      .filter((image): image is SentryImage & { readonly address: bigint } => image.address !== null)
      .sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0));
  }

  /** The image with this number in the list of the event. */
  at(number: number): SentryImage | null {
    return this.#images[number] ?? null;
  }

  /** The image that contains the address; null if there is none. An image of unknown size ends at the next one. */
  find(address: bigint): SentryImage | null {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sorted[middle]!.address <= address) low = middle + 1;
      else high = middle;
    }
    const image = this.#sorted[low - 1];
    if (image === undefined) return null;
    const isInside = image.size === null || image.size === 0 || address < image.address + BigInt(image.size);
    return isInside ? image : null;
  }
}

/** `isCrashed`: whether the innermost frame is where the program was, rather than where it will return to. */
export function nativeFrames(
  { frames, registers, returns }: Stack,
  images: ImageMap,
  { isCrashed }: { readonly isCrashed: boolean },
): NativeFrame[] {
  return frames.map((frame, index) => {
    const relative = frame.relativeTo === null ? null : images.at(frame.relativeTo);
    const address =
      frame.address === null || relative === null ? frame.address : (relative.address ?? 0n) + frame.address;
    if (address === null) return { frame, image: null, address, offset: null };
    const image = relative ?? images.find(address);
    const isStop = isCrashed || frame.trust === 'context' || isProgramCounter(registers, address);
    const isExact =
      image?.type === 'wasm' ||
      (returns === undefined
        ? index === 0 && isStop
        : returns === 'none' || (returns === 'all_but_first' && index === 0));
    const lookUp = isExact || address === 0n ? address : address - 1n;
    const base = image?.address ?? (relative === null ? null : 0n);
    return { frame, image, address, offset: image === null || base === null || lookUp < base ? null : lookUp - base };
  });
}

const PROGRAM_COUNTERS = new Set(['rip', 'eip', 'pc']);

function isProgramCounter(registers: Stack['registers'], address: bigint): boolean {
  return registers.some(([name, value]) => PROGRAM_COUNTERS.has(name) && BigInt(value) === address);
}

/** Whether the stack has addresses that symbols can be looked up for. */
export function hasAddresses({ frames }: Stack): boolean {
  return frames.some(({ address }) => address !== null && address !== 0n);
}

/** Whether the stack has addresses in WebAssembly. The frames around them are of JavaScript. */
export function isOfWasm(stack: Stack, images: ImageMap): boolean {
  return nativeFrames(stack, images, { isCrashed: false }).some(({ image }) => image?.type === 'wasm');
}

/** The debug ids of the images that frames are in, each once: those whose symbols matter. */
export function neededDebugIds(event: StoredEvent): string[] {
  const images = new ImageMap(event.images);
  const stacks = [...event.exceptions, ...event.threads].map(({ stack }) => stack);
  const ids = stacks.flatMap((stack) =>
    nativeFrames(stack, images, { isCrashed: false }).flatMap(({ image }) => image?.debugId ?? []),
  );
  return [...new Set(ids)];
}
