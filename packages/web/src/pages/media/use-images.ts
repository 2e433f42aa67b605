// Adds, orders and deletes the images of a game; each answer is the set as it is then.
import type { ImageKind } from '@chauffeur/contract/image-rules';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { addGameMedia, deleteGameMedia, listGameMedia, orderGameMedia } from '@chauffeur/contract/operations/media';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call, send } from '../../api.ts';
import { checkImage, type Refused } from './check-image.ts';

type ImageSet = OutputOf<typeof listGameMedia>;
type Change = { says: string; run: () => Promise<ImageSet> };

export function useImages(gameUid: string) {
  const queries = useQueryClient();
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const changing = useMutation({
    mutationFn: ({ run }: Change) => run(),
    onSuccess: ({ cover, thumbnail, gallery }) => {
      queries.setQueryData(ask(listGameMedia, { uid: gameUid }).queryKey, { cover, thumbnail, gallery });
      void queries.invalidateQueries({ queryKey: [getListing.id] });
    },
  });
  return {
    isPending: changing.isPending,
    error: changing.error,
    /** The images that were not sent, by what the rules found. */
    refused,
    said: changing.isSuccess ? changing.variables.says : null,
    async add(kind: ImageKind, files: readonly File[]) {
      const asked = files.slice(0, LIMITS.imagesPerRequest);
      const problems = (await Promise.all(asked.map((file) => checkImage(file, kind)))).filter(
        (found) => found !== null,
      );
      setRefused(problems);
      if (problems.length > 0 || asked.length === 0) return;
      const form = new FormData();
      form.set('kind', kind);
      for (const file of asked) form.append('file', file);
      const says = asked.length === 1 ? `The ${kind} is uploaded.` : `${asked.length} screenshots are uploaded.`;
      changing.mutate({ says, run: () => send(addGameMedia, { uid: gameUid }, form) });
    },
    order(order: string[]) {
      setRefused([]);
      changing.mutate({ says: 'The order is changed.', run: () => call(orderGameMedia, { uid: gameUid, order }) });
    },
    remove({ uid, filename }: { uid: string; filename: string }) {
      setRefused([]);
      const run = () => call(deleteGameMedia, { uid: gameUid, image: uid });
      changing.mutate({ says: `${filename} is deleted.`, run });
    },
  };
}
