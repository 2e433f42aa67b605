// Prepares a studio's game for the store: texts, images and builds.
import { sha256 } from '../../packages/server/test/setup/uploads.ts';
import type { Service } from './processes.ts';
import type { Studio } from './studio.ts';
import { until } from './until.ts';

/** Edits the texts of the game as its owner. */
export async function changeGame(service: Service, studio: Studio, changes: object): Promise<void> {
  const headers = { ...studio.session, 'content-type': 'application/json' };
  const init = { method: 'PATCH', headers, body: JSON.stringify(changes) };
  await dataOf(await fetch(`${service.api}/games/${studio.gameUid}`, init));
}

/** Adds store images of one kind. */
export async function addPictures(
  service: Service,
  studio: Studio,
  kind: 'cover' | 'thumbnail' | 'screenshot',
  pictures: readonly Uint8Array[],
): Promise<void> {
  const body = new FormData();
  body.append('kind', kind);
  for (const [index, bytes] of pictures.entries())
    body.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), `${kind}-${index}.jpg`);
  await dataOf(await fetch(`${service.api}/tool/media`, { method: 'POST', headers: keyOf(studio), body }));
}

/** Uploads a symbol file of a build. */
export async function addSymbols(service: Service, studio: Studio, buildId: string, file: Uint8Array): Promise<void> {
  const body = new FormData();
  body.append('build_id', buildId);
  body.append('checksum', sha256(file));
  body.append('file', new Blob([file as Uint8Array<ArrayBuffer>]), 'game.sym');
  await dataOf(await fetch(`${service.api}/tool/upload/symbols`, { method: 'POST', headers: keyOf(studio), body }));
}

export type BuildInput = {
  version: string;
  os: string;
  arch: string;
  channel?: string;
  title?: string;
  commit?: string;
  changelog_items?: readonly { title: string; description?: string }[];
};

export type Shipped = { buildId: string; fileUid: string };

/** Registers a build, uploads the zip for it, and waits until its scan has ended. */
export async function shipBuild(
  service: Service,
  studio: Studio,
  build: BuildInput,
  zip: Uint8Array,
): Promise<Shipped> {
  const { channel = 'stable', os, arch } = build;
  const headers = { ...keyOf(studio), 'content-type': 'application/json' };
  const registration = { method: 'POST', headers, body: JSON.stringify({ ...build, channel }) };
  const { build_id } = await dataOf(await fetch(`${service.api}/tool/upload/build`, registration));
  const form = new FormData();
  const fields = { build_id: String(build_id), os, arch, channel, checksum: sha256(zip) };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([zip as Uint8Array<ArrayBuffer>]), 'game.zip');
  const upload = { method: 'POST', headers: keyOf(studio), body: form };
  const { file_uid } = await dataOf(await fetch(`${service.api}/tool/upload/files`, upload));
  await untilScanned(service, studio, String(file_uid));
  return { buildId: String(build_id), fileUid: String(file_uid) };
}

async function untilScanned(service: Service, studio: Studio, fileUid: string): Promise<void> {
  const init = { headers: keyOf(studio) };
  await until(async () => {
    const { status } = await dataOf(await fetch(`${service.api}/tool/files/${fileUid}`, init));
    return status !== 'pending' && status !== 'scanning';
  }, service.output);
}

function keyOf({ environment }: Studio): Record<string, string> {
  return {
    'x-access-token': environment.SERVICE_ACCESS_TOKEN ?? '',
    'x-secret-key': environment.SERVICE_SECRET_KEY ?? '',
  };
}

async function dataOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} returned ${response.status}: ${text}`);
  return JSON.parse(text).data;
}
