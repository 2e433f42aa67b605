// The thread of `compileText`: reads one text and writes its cache at the same time.
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { MinidumpError } from '@chauffeur/minidump/error';
import { SymbolCompiler } from '@chauffeur/minidump/symbols/compiler/compiler';
import { openBlobStore } from '../../kernel/blobs/open.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import type { CompileInput, CompileResult } from './compile.job.ts';

const CHUNK_BYTES = 256 * 1024;

await answerTask(async ({ blobSettings, textKey, cacheKey }: CompileInput): Promise<CompileResult> => {
  const store = openBlobStore(blobSettings);
  try {
    const pieces: Uint8Array[] = [];
    // Copied, because the compiler reuses its buffers.
    const compiler = new SymbolCompiler({ write: (bytes) => pieces.push(Uint8Array.from(bytes)) });
    const cache = compile(compiler, pieces, await readText(store, textKey));
    const upload = await store.append(await store.begin(cacheKey), cache);
    await store.complete(upload);
    return { cacheSize: upload.size, problem: describeProblems(compiler) };
  } catch (error) {
    if (error instanceof MinidumpError) return { unreadable: error.message };
    throw error;
  } finally {
    await store.close();
  }
});

async function readText(store: BlobStore, key: string): Promise<AsyncIterable<Buffer>> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // Errors reach the reader of the output.
  pipeline(await store.read(key), gunzip).catch(() => undefined);
  return gunzip;
}

async function* compile(compiler: SymbolCompiler, pieces: Uint8Array[], text: AsyncIterable<Buffer>) {
  for await (const chunk of text) {
    compiler.write(chunk);
    yield* pieces.splice(0);
  }
  compiler.finish();
  yield* pieces.splice(0);
}

function describeProblems({ problems, problemCount }: SymbolCompiler): string | null {
  const [first] = problems;
  if (first === undefined) return null;
  return problemCount === 1
    ? `1 line was skipped: line ${first.line}, ${first.text}.`
    : `${problemCount} lines were skipped. The first is line ${first.line}: ${first.text}.`;
}
