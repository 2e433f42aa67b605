// `chauffeur videos`: uploads, lists, orders and deletes the videos of the game's page.
import { basename } from 'node:path';
import { formatBytes, formatClock } from '@chauffeur/contract/format';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { addVideo, deleteVideo, listVideos, orderVideos } from '@chauffeur/contract/operations/videos';
import { findProblem } from '@chauffeur/contract/validate';
import { detectVideoType, VIDEO_HEAD_BYTES } from '@chauffeur/contract/video-rules';
import type { Command } from 'commander';
import { LocalError } from '../failures.ts';
import { openFile } from '../media/images.ts';
import { type Result, tableOf } from '../output.ts';
import { type Act, type Action, newCommand, withExample } from './command.ts';

export function videosCommand(command: Command, act: Act): Command {
  return withExample(command, 'videos add trailer.mp4')
    .addCommand(
      newCommand('add', 'upload a video, which players see once it has been scanned', 'videos add trailer.mp4')
        .argument('<file>', 'MP4 or WebM, at most 100 MiB')
        .action(act(add)),
    )
    .addCommand(newCommand('list', 'list the videos with their uids and states', 'videos list').action(act(list)))
    .addCommand(
      newCommand('delete', 'delete a video', 'videos delete 0193a7c0-0000-7000-8000-000000000001')
        .argument('<uid>', 'uid of the video')
        .action(act(remove)),
    )
    .addCommand(
      newCommand('order', 'set the order of the videos', 'videos order <uid> <uid>')
        .argument('<uids...>', 'uids of all videos in the new order')
        .action(act(order)),
    );
}

type VideoSet = OutputOf<typeof listVideos>;

const add: Action<object> = async ({ connect, signal }, _, path = '') => {
  const form = new FormData();
  form.append('file', await openVideo(path), basename(path));
  const client = await connect();
  // Not retried: if only the response was lost, the game would have the video twice.
  const data = await client.send(addVideo, form, { signal });
  const { uid, filename } = data.added;
  const lines = [`Added ${filename}, which players see once it has been scanned.`, `Uid: ${uid}`];
  return { data, lines, piped: [`${uid}  ${filename}`] };
};

const list: Action<object> = async ({ connect, retryBriefly, signal }) => {
  const client = await connect();
  return resultOf(await retryBriefly(() => client.call(listVideos, {}, { signal })));
};

const remove: Action<object> = async ({ connect, retryBriefly, signal }, _, uid = '') => {
  const input = { uid };
  requireUids(deleteVideo.params, input);
  const client = await connect();
  return resultOf(await retryBriefly(() => client.call(deleteVideo, input, { signal })));
};

const order: Action<object> = async ({ connect, retryBriefly, signal }, _, ...uids) => {
  const input = { order: uids };
  requireUids(orderVideos.body, input);
  const client = await connect();
  return resultOf(await retryBriefly(() => client.call(orderVideos, input, { signal })));
};

function requireUids(schema: Parameters<typeof findProblem>[0] | undefined, input: object): void {
  const problem = schema === undefined ? null : findProblem(schema, input);
  if (problem !== null) throw new LocalError(problem, 'Use the uids printed by chauffeur videos list.');
}

/** Opens a video as a blob that stays on disk. Rejects with LocalError. The service checks the rest. */
async function openVideo(path: string): Promise<Blob> {
  const blob = await openFile(path);
  if (blob.size > LIMITS.videoBytes)
    throw new LocalError(`${path} is larger than ${LIMITS.videoBytes / MIB} MiB.`, 'Compress or shorten it.');
  if (detectVideoType(new Uint8Array(await blob.slice(0, VIDEO_HEAD_BYTES).arrayBuffer())) === null)
    throw new LocalError(`${path} is not an MP4 or WebM.`, 'Export the video in one of these formats.');
  return blob;
}

function resultOf(set: VideoSet): Result {
  const rows = set.videos.map(({ position, uid, status, width, height, duration_seconds: seconds, size, filename }) => [
    String(position + 1),
    uid,
    status,
    `${width}×${height}`,
    seconds === null ? '' : formatClock(seconds),
    formatBytes(size),
    filename,
  ]);
  const head = ['POSITION', 'UID', 'STATUS', 'PIXELS', 'LENGTH', 'SIZE', 'FILE'];
  return { data: set, lines: rows.length > 0 ? tableOf([head, ...rows]) : ['No videos yet.'] };
}
