// Reads blocks of earlier zips in large pieces, ahead of their use: a request to S3 for each block would take minutes.
import { MIB } from '@chauffeur/contract/limits';
import { readBytes } from '../../kernel/blobs/blob-bytes.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import type { Place, Source } from './block-sources.ts';

/** Places that are less than this apart are read together. */
const GAP_BYTES = MIB / 4;
const SPAN_BYTES = 8 * MIB;

type Span = { readonly source: number; readonly start: number; end: number };

/** Groups places, which are in the order of their use, into ranges of the zips. A place is within one range. */
function spansOf(places: Iterable<Place>): Span[] {
  const spans: Span[] = [];
  for (const { source, offset, packed } of places) {
    const last = spans.at(-1);
    const end = offset + packed;
    const continues =
      last !== undefined &&
      last.source === source &&
      offset >= last.start &&
      offset - last.end < GAP_BYTES &&
      end - last.start <= SPAN_BYTES;
    if (continues) last.end = Math.max(last.end, end);
    else spans.push({ source, start: offset, end });
  }
  return spans;
}

/** Returns a function that is called for each of the places, in their order. Holds at most two spans of 8 MiB. */
export function createPlaceReader(
  store: BlobStore,
  sources: readonly Source[],
  places: Iterable<Place>,
): (place: Place) => Promise<Buffer> {
  const spans = spansOf(places);
  let next = 0;
  const fetchNext = () => {
    const span = spans[next++];
    if (span === undefined) return null;
    const bytes = readBytes(store, sources[span.source]!.zipKey, span.start, span.end);
    // Awaited when it is used; until then, a failure must not count as unhandled.
    bytes.catch(() => {});
    return { span, bytes };
  };
  let current = fetchNext();
  let following = fetchNext();
  return async ({ source, offset, packed }) => {
    const isWithin = ({ span }: { span: Span }) =>
      span.source === source && offset >= span.start && offset + packed <= span.end;
    while (current !== null && !isWithin(current)) {
      current = following;
      following = fetchNext();
    }
    if (current === null) throw new Error('Places were not asked for in their order.');
    const bytes = await current.bytes;
    return bytes.subarray(offset - current.span.start, offset - current.span.start + packed);
  };
}
