// Uploads, reorders and deletes the images of a game. Each call returns the updated set of images.
import type { ImageKind } from '@chauffeur/contract/image-rules';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGame, listGames } from '@chauffeur/contract/operations/games';
import { addGameMedia, deleteGameMedia, listGameMedia, orderGameMedia } from '@chauffeur/contract/operations/media';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call, send } from '../../api.ts';
import { offerUndo } from '../../frame/undo.ts';
import { checkImage, type Refused } from './check-image.ts';

type ImageSet = OutputOf<typeof listGameMedia>;
type Image = ImageSet['gallery'][number];
/** `message` is shown when the change is done; '' if it is shown with a button that undoes it. */
type Change = { message: string; run: () => Promise<ImageSet> };

const UPLOADED: Readonly<Record<ImageKind, string>> = {
  cover: 'Cover uploaded.',
  thumbnail: 'Thumbnail uploaded.',
  screenshot: 'Screenshot uploaded.',
};

export function useImages(gameUid: string) {
  const queries = useQueryClient();
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const changing = useMutation({
    mutationFn: ({ run }: Change) => run(),
    onSuccess: ({ cover, thumbnail, gallery }) => {
      queries.setQueryData(ask(listGameMedia, { uid: gameUid }).queryKey, { cover, thumbnail, gallery });
      // The picture of the game is in the header and in lists.
      for (const { id } of [getListing, getGame, listGames]) void queries.invalidateQueries({ queryKey: [id] });
    },
  });
  /** Uploads a deleted screenshot again, in its place among the others. */
  const restore = async (file: File, before: readonly Image[]) => {
    const form = new FormData();
    form.set('kind', 'screenshot');
    form.append('file', file);
    const { gallery } = await send(addGameMedia, { uid: gameUid }, form);
    const restored = gallery.at(-1)?.uid;
    const known = before.map(({ uid }) => (gallery.some((image) => image.uid === uid) ? uid : restored));
    const others = gallery.map(({ uid }) => uid).filter((uid) => !known.includes(uid));
    const order = [...new Set([...known, ...others])].filter((uid) => uid !== undefined);
    return call(orderGameMedia, { uid: gameUid, order });
  };
  return {
    isPending: changing.isPending,
    error: changing.error,
    /** The images that were not uploaded because they break a rule. */
    refused,
    message: changing.isSuccess ? changing.variables.message || null : null,
    async add(kind: ImageKind, files: readonly File[]) {
      const chosen = files.slice(0, LIMITS.imagesPerRequest);
      const problems = (await Promise.all(chosen.map((file) => checkImage(file, kind)))).filter(
        (problem) => problem !== null,
      );
      setRefused(problems);
      if (problems.length > 0 || chosen.length === 0) return;
      const form = new FormData();
      form.set('kind', kind);
      for (const file of chosen) form.append('file', file);
      const message = chosen.length === 1 ? UPLOADED[kind] : `${chosen.length} screenshots uploaded.`;
      changing.mutate({ message, run: () => send(addGameMedia, { uid: gameUid }, form) });
    },
    order(order: string[]) {
      setRefused([]);
      changing.mutate({ message: 'Order changed.', run: () => call(orderGameMedia, { uid: gameUid, order }) });
    },
    remove({ uid, url, filename }: Image) {
      setRefused([]);
      const before = queries.getQueryData(ask(listGameMedia, { uid: gameUid }).queryKey)?.gallery ?? [];
      const run = async () => {
        const bytes = await download(url);
        const images = await call(deleteGameMedia, { uid: gameUid, image: uid });
        offerUndo({
          message: `${filename} was deleted.`,
          undo: () => changing.mutateAsync({ message: '', run: () => restore(new File([bytes], filename), before) }),
        });
        return images;
      };
      changing.mutate({ message: '', run });
    },
  };
}

async function download(url: string): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok)
    throw new Error("The image could not be read, so it wasn't deleted: deleting it could not be undone.");
  return response.blob();
}
