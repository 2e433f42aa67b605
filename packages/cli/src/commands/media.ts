// `chauffeur media`: uploads, lists, orders and deletes the images of the game's store page.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { addMedia, deleteMedia, listMedia, orderMedia } from '@chauffeur/contract/operations/media';
import { findProblem } from '@chauffeur/contract/validate';
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { type ImageKind, movedTo, openImage } from '../media/images.ts';
import { type Result, sizeText, tableOf } from '../output.ts';
import type { Act, Handler } from '../program.ts';

type MediaSet = OutputOf<typeof orderMedia>;
type Image = MediaSet['gallery'][number];

export function mediaCommand(act: Act): Command {
  const below = (usage: string, description: string, example: string) =>
    new Command(usage).description(description).addHelpText('after', `\nExample:\n  $ chauffeur media ${example}`);
  return below('media', 'the images of the store page', 'add shots/*.png')
    .addCommand(
      below('cover', 'upload the cover, in place of the one before', 'cover cover.png')
        .argument('<file>', 'a PNG, JPEG, GIF or WebP from 1024×576 to 2048×1152')
        .action(act(uploadAs('cover'))),
    )
    .addCommand(
      below('thumbnail', 'upload the thumbnail, in place of the one before', 'thumbnail thumb.png')
        .argument('<file>', 'a PNG, JPEG, GIF or WebP from 960×540 to 1920×1080')
        .action(act(uploadAs('thumbnail'))),
    )
    .addCommand(
      below('add', 'add screenshots to the end of the gallery', 'add shots/*.png')
        .argument('<files...>', 'PNGs, JPEGs, GIFs or WebPs from 1280×720 to 2048×1152')
        .action(act(uploadAs('screenshot'))),
    )
    .addCommand(below('list', 'list the images with their uids', 'list').action(act(list)))
    .addCommand(
      below('delete', 'delete an image', 'delete thumbnail')
        .argument('<uid>', 'uid of a screenshot, or cover or thumbnail')
        .action(act(remove)),
    )
    .addCommand(
      below('move', 'move a screenshot within the gallery', 'move 0193a7c0-0000-7000-8000-000000000001 1')
        .argument('<uid>', 'uid of the screenshot')
        .argument('<position>', 'its new place, from 1')
        .action(act(move)),
    )
    .addCommand(
      below('order', 'put the whole gallery in an order', 'order <uid> <uid> <uid>')
        .argument('<uids...>', 'all uids of the gallery')
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
      // Not repeated on failure: had only the answer been lost, the gallery would have the images twice.
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
  if (problem !== null) throw new LocalError(problem, 'Give the uids that chauffeur media list prints.');
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
    sizeText(size),
    filename,
  ]);
  return rows.length > 0 ? tableOf([['PLACE', 'UID', 'PIXELS', 'SIZE', 'FILE'], ...rows]) : ['No images yet.'];
}
