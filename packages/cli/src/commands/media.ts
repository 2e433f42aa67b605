// `chauffeur media`: uploads, lists, orders and deletes the game's store images.
import { formatBytes } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { addMedia, deleteMedia, listMedia, orderMedia } from '@chauffeur/contract/operations/media';
import { findProblem } from '@chauffeur/contract/validate';
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { type ImageKind, movedTo, openImage } from '../media/images.ts';
import { type Result, tableOf } from '../output.ts';
import type { Act, Handler } from './command.ts';

type MediaSet = OutputOf<typeof orderMedia>;
type Image = MediaSet['gallery'][number];

export function mediaCommand(act: Act): Command {
  const subcommand = (usage: string, description: string, example: string) =>
    new Command(usage).description(description).addHelpText('after', `\nExample:\n  $ chauffeur media ${example}`);
  return subcommand('media', 'manage the images of the store page', 'add shots/*.png')
    .addCommand(
      subcommand('cover', 'upload the cover, replacing the current one', 'cover cover.png')
        .argument('<file>', 'PNG, JPEG, GIF or WebP, from 1024×576 to 2048×1152 pixels')
        .action(act(uploadAs('cover'))),
    )
    .addCommand(
      subcommand('thumbnail', 'upload the thumbnail, replacing the current one', 'thumbnail thumb.png')
        .argument('<file>', 'PNG, JPEG, GIF or WebP, from 960×540 to 1920×1080 pixels')
        .action(act(uploadAs('thumbnail'))),
    )
    .addCommand(
      subcommand('add', 'add screenshots to the end of the gallery', 'add shots/*.png')
        .argument('<files...>', 'PNG, JPEG, GIF or WebP, from 1280×720 to 2048×1152 pixels')
        .action(act(uploadAs('screenshot'))),
    )
    .addCommand(subcommand('list', 'list the images with their uids', 'list').action(act(list)))
    .addCommand(
      subcommand('delete', 'delete an image', 'delete thumbnail')
        .argument('<uid>', 'uid of a screenshot, or "cover" or "thumbnail"')
        .action(act(remove)),
    )
    .addCommand(
      subcommand('move', 'move a screenshot within the gallery', 'move 0193a7c0-0000-7000-8000-000000000001 1')
        .argument('<uid>', 'uid of the screenshot')
        .argument('<position>', 'new position, from 1')
        .action(act(move)),
    )
    .addCommand(
      subcommand('order', 'set the order of the whole gallery', 'order <uid> <uid> <uid>')
        .argument('<uids...>', 'uids of all screenshots in the new order')
        .action(act((context, _: object, ...uids) => order(context, uids))),
    );
}

function uploadAs(kind: ImageKind): Handler<object> {
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
    return { data: { added, ...set }, lines: added.map((image) => `${image.uid}  ${image.filename}`) };
  };
}

const list: Handler<object> = async ({ connect, insist, signal }) => {
  const client = await connect();
  const data = await insist(() => client.call(listMedia, {}, { signal }));
  return { data, lines: linesOf(data.images) };
};

const remove: Handler<object> = async ({ connect, insist, signal }, _, uid = '') => {
  const client = await connect();
  return resultOf(await insist(() => client.call(deleteMedia, { uid }, { signal })));
};

const move: Handler<object> = async (context, _, uid = '', position = '') => {
  const client = await context.connect();
  const { gallery } = await context.insist(() => client.call(listMedia, {}, { signal: context.signal }));
  const uids = movedTo(
    gallery.map((image) => image.uid),
    uid.toLowerCase(),
    Number(position),
  );
  return resultOf(await context.insist(() => client.call(orderMedia, { order: uids }, { signal: context.signal })));
};

async function order({ connect, insist, signal }: Context, uids: string[]): Promise<Result> {
  const input = { order: uids };
  const problem = orderMedia.body === undefined ? null : findProblem(orderMedia.body, input);
  if (problem !== null) throw new LocalError(problem, 'Use the uids printed by chauffeur media list.');
  const client = await connect();
  return resultOf(await insist(() => client.call(orderMedia, input, { signal })));
}

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
