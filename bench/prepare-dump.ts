// Makes a dump of a build whose symbols the server has compiled.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { writeGameDump, writeMemory } from './game-dump.ts';
import { callApi, type OpenedGame } from './requests.ts';
import { writeSymbolText } from './symbol-text.ts';

const SYMBOL_BYTES = 8_000_000;

/** Uploads symbols of the build, waits until they are compiled, and returns a dump of at least `bytes` bytes. */
export async function prepareDump(
  api: string,
  { build, keys }: Pick<OpenedGame, 'build' | 'keys'>,
  folder: string,
  bytes: number,
): Promise<Buffer> {
  const symbols = join(folder, 'game.sym');
  const functions = writeSymbolText(symbols, SYMBOL_BYTES);
  await sendSymbols(api, keys, build, readFileSync(symbols));
  const stacks = writeGameDump(functions);
  // The rest of a dump is memory that the stack walk does not read.
  return Buffer.concat([stacks, writeMemory(Math.max(0, bytes - stacks.length))]);
}

async function sendSymbols(
  api: string,
  keys: Readonly<Record<string, string>>,
  buildId: string,
  text: Buffer,
): Promise<void> {
  const form = new FormData();
  form.set('build_id', buildId);
  form.set('checksum', hash('sha256', text));
  form.set('file', new Blob([new Uint8Array(text)]), 'game.sym');
  await callApi(`${api}/tool/upload/symbols`, { method: 'POST', headers: keys, body: form });
  for (;;) {
    const { symbols } = await callApi<{ symbols: { state: string }[] }>(`${api}/tool/symbols?build_id=${buildId}`, {
      headers: keys,
    });
    if (symbols.every(({ state }) => state === 'compiled')) return;
    await wait(50);
  }
}
