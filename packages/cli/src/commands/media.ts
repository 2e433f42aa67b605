// `chauffeur media`: uploads, lists, orders and deletes the game's store images.
import { formatBytes } from '@chauffeur/contract/format';
import type { ImageKind } from '@chauffeur/contract/image-rules';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { addMedia, deleteMedia, listMedia, orderMedia } from '@chauffeur/contract/operations/media';
import { findProblem } from '@chauffeur/contract/validate';
import type { Command } from 'commander';
import { LocalError } from '../failures.ts';
import { movedTo, openImage } from '../media/images.ts';
import { formatCount, type Result, tableOf } from '../output.ts';
import { type Act, type Action, newCommand, withExample } from './command.ts';

export function mediaCommand(command: Command, act: Act): Command {
  return withExample(command, 'media add shots/*.png')
    .addCommand(
      newCommand('cover', 'upload the cover, replacing the current one', 'media cover cover.png')
        .argument('<file>', 'PNG, JPEG, GIF or WebP, from 1024×576 to 2048×1152 pixels')
        .action(act(uploadCover)),
    )
    .addCommand(
      newCommand('thumbnail', 'upload the thumbnail, replacing the current one', 'media thumbnail thumb.png')
        .argument('<file>', 'PNG, JPEG, GIF or WebP, from 960×540 to 1920×1080 pixels')
        .action(act(uploadThumbnail)),
    )
    .addCommand(
      newCommand('add', 'add screenshots to the end of the gallery', 'media add shots/*.png')
        .argument('<files...>', 'PNG, JPEG, GIF or WebP, from 1280×720 to 2048×1152 pixels')
        .action(act(addScreenshots)),
    )
    .addCommand(newCommand('list', 'list the images with their uids', 'media list').action(act(list)))
    .addCommand(
      newCommand('delete', 'delete an image', 'media delete thumbnail')
        .argument('<uid>', 'uid of a screenshot, or "cover" or "thumbnail"')
        .action(act(remove)),
    )
    .addCommand(
      newCommand('move', 'move a screenshot within the gallery', 'media move 0193a7c0-0000-7000-8000-000000000001 1')
        .argument('<uid>', 'uid of the screenshot')
        .argument('<position>', 'new position, from 1')
        .action(act(move)),
    )
    .addCommand(
      newCommand('order', 'set the order of the whole gallery', 'media order <uid> <uid> <uid>')
        .argument('<uids...>', 'uids of all screenshots in the new order')
        .action(act(order)),
    );
}

type MediaSet = OutputOf<typeof orderMedia>;
type Image = MediaSet['gallery'][number];

function uploadAs(kind: ImageKind): Action<object> {
  return async ({ connect, signal }, _, ...paths) => {
    const files = await Promise.all(paths.map((path) => openImage(path, kind)));
    const client = await connect();
    const added: MediaSet['gallery'] = [];
    let set: MediaSet | undefined;
    for (let at = 0; at < files.length; at += LIMITS.imagesPerRequest) {
      const form = new FormData();
      form.append('kind', kind);
      for (const { blob, name } of files.slice(at, at + LIMITS.imagesPerRequest)) form.append('file', blob, name);
      // Not retried: if only the response was lost, the gallery would contain the images twice.
      const { added: some, ...rest } = await client.send(addMedia, form, { signal });
      added.push(...some);
      set = rest;
    }
    const rows = added.map((image) => `${image.uid}  ${image.filename}`);
    return { data: { added, ...set }, lines: [describeAdded(kind, added.length), ...rows], piped: rows };
  };
}

function describeAdded(kind: ImageKind, count: number): string {
  return kind === 'screenshot' ? `Added ${formatCount(count, 'screenshot')}:` : `The ${kind} is replaced:`;
}

const uploadCover = uploadAs('cover');
const uploadThumbnail = uploadAs('thumbnail');
const addScreenshots = uploadAs('screenshot');

const list: Action<object> = async ({ connect, retryBriefly, signal }) => {
  const client = await connect();
  const data = await retryBriefly(() => client.call(listMedia, {}, { signal }));
  return { data, lines: linesOf(data.images) };
};

const remove: Action<object> = async ({ connect, retryBriefly, signal }, _, uid = '') => {
  const client = await connect();
  return resultOf(await retryBriefly(() => client.call(deleteMedia, { uid }, { signal })));
};

const move: Action<object> = async (context, _, uid = '', position = '') => {
  const client = await context.connect();
  const { gallery } = await context.retryBriefly(() => client.call(listMedia, {}, { signal: context.signal }));
  const uids = movedTo(
    gallery.map((image) => image.uid),
    uid.toLowerCase(),
    Number(position),
  );
  return resultOf(
    await context.retryBriefly(() => client.call(orderMedia, { order: uids }, { signal: context.signal })),
  );
};

const order: Action<object> = async ({ connect, retryBriefly, signal }, _, ...uids) => {
  const input = { order: uids };
  const problem = orderMedia.body === undefined ? null : findProblem(orderMedia.body, input);
  if (problem !== null) throw new LocalError(problem, 'Use the uids printed by chauffeur media list.');
  const client = await connect();
  return resultOf(await retryBriefly(() => client.call(orderMedia, input, { signal })));
};

function resultOf(set: MediaSet): Result {
  return { data: set, lines: linesOf([set.cover, set.thumbnail, ...set.gallery].filter((image) => image !== null)) };
}

function linesOf(images: readonly Image[]): string[] {
  const rows = images.map(({ kind, position, uid, width, height, size, filename }) => [
    kind === 'screenshot' ? String(position + 1) : kind,
    uid,
    `${width}×${height}`,
    formatBytes(size),
    filename,
  ]);
  return rows.length > 0 ? tableOf([['POSITION', 'UID', 'PIXELS', 'SIZE', 'FILE'], ...rows]) : ['No images yet.'];
}
