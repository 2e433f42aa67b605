// Writes events as a Parquet file, a group of rows at a time, so that only one group is in memory.
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { COLUMN_NAMES, DEVICE_UID, type EventValues, SCHEMA } from './columns.ts';

/** Engines read the groups of a file in parallel. */
const MAX_GROUP_ROWS = 50_000;
/** The length of the texts in a group, in UTF-16 code units: properties can have several KiB. */
const MAX_GROUP_TEXT = 16 * 1024 * 1024;

/** Does not repeat the bytes that were taken. */
class ChunkWriter extends ByteWriter {
  take(): Uint8Array {
    const bytes = this.getBytes().slice();
    this.index = 0;
    return bytes;
  }
}

export class EventFileWriter {
  readonly #out = new ChunkWriter();
  readonly #parquet = new ParquetWriter({
    writer: this.#out,
    schema: SCHEMA,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'chauffeur',
  });
  #columns = emptyColumns();
  #text = 0;
  /** The number of events that were added. */
  events = 0;

  /** The size of the file so far, without the rows of the current group. */
  get size(): number {
    return this.#out.offset;
  }

  /** Adds an event. Returns bytes of the file when a group is full. */
  add(event: EventValues): Uint8Array | null {
    for (const [index, value] of event.entries()) {
      this.#columns[index]!.push(value);
      if (typeof value === 'string') this.#text += value.length;
    }
    this.events += 1;
    return this.#columns[0]!.length >= MAX_GROUP_ROWS || this.#text >= MAX_GROUP_TEXT ? this.#writeGroup() : null;
  }

  /** Returns the last bytes of the file. */
  finish(): Uint8Array {
    const rest = this.#columns[0]!.length === 0 ? new Uint8Array() : this.#writeGroup();
    this.#parquet.finish();
    return Buffer.concat([rest, this.#out.take()]);
  }

  #writeGroup(): Uint8Array {
    const columnData = COLUMN_NAMES.map((name, index) => ({
      name,
      data: this.#columns[index]!,
      // Finds the events of a device without reading all groups.
      bloomFilter: index === DEVICE_UID,
    }));
    this.#parquet.write({ columnData, rowGroupSize: MAX_GROUP_ROWS });
    this.#columns = emptyColumns();
    this.#text = 0;
    return this.#out.take();
  }
}

function emptyColumns(): (string | number | boolean | null)[][] {
  return COLUMN_NAMES.map(() => []);
}
