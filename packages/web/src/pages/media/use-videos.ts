// Uploads, reorders and deletes the videos of a game. Each call returns the updated list of videos.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { type OutputOf, pathOf } from '@chauffeur/contract/operation';
import { addGameVideo, deleteGameVideo, listGameVideos, orderGameVideos } from '@chauffeur/contract/operations/videos';
import { detectVideoType, refuseVideo, VIDEO_HEAD_BYTES, VIDEO_TOO_LARGE } from '@chauffeur/contract/video-rules';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ask, call } from '../../api.ts';
import { upload } from '../../files.ts';

type VideoSet = OutputOf<typeof listGameVideos>;
export type Video = VideoSet['videos'][number];

/** How often the list is loaded while a scan is not done. It takes seconds. */
const POLL_MS = 3000;

export function useVideos(gameUid: string) {
  const queries = useQueryClient();
  const list = ask(listGameVideos, { uid: gameUid });
  const query = useQuery({
    ...list,
    refetchInterval: ({ state }) => (state.data?.videos.some(({ status }) => status === 'pending') ? POLL_MS : false),
  });
  const keep = ({ videos }: VideoSet) => queries.setQueryData(list.queryKey, { videos });
  const adding = useAdding(gameUid, keep);
  const ordering = useMutation({
    mutationFn: (order: string[]) => call(orderGameVideos, { uid: gameUid, order }),
    onSuccess: keep,
  });
  const deleting = useMutation({
    mutationFn: ({ uid }: Video) => call(deleteGameVideo, { uid: gameUid, video: uid }),
    onSuccess: keep,
  });
  return { query, adding, ordering, deleting };
}

/** The upload of one video at a time. */
function useAdding(gameUid: string, keep: (set: VideoSet) => void) {
  const [share, setShare] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const cancelling = useRef<AbortController | null>(null);
  const adding = useMutation({
    mutationFn: (file: File) => {
      const form = new FormData();
      form.append('file', file);
      cancelling.current = new AbortController();
      return upload<OutputOf<typeof addGameVideo>>({
        method: addGameVideo.method as 'POST',
        url: `/api/v1${pathOf(addGameVideo, { uid: gameUid })}`,
        body: form,
        onProgress: setShare,
        signal: cancelling.current.signal,
      });
    },
    onSuccess: keep,
  });
  return {
    /** The file that is being uploaded, and the uploaded share, from 0 to 1. */
    file: adding.isPending ? adding.variables : null,
    share,
    added: adding.isSuccess ? adding.data.added : null,
    /** What is wrong with the chosen file. */
    problem: isRefusal(adding.error) ? adding.error.message : problem,
    /** Why it was not uploaded otherwise. */
    error: adding.error instanceof CancelledError || isRefusal(adding.error) ? null : adding.error,
    async start(file: File) {
      adding.reset();
      setShare(0);
      const found = await findProblem(file);
      setProblem(found === null ? null : `${file.name}: ${found}`);
      if (found === null) adding.mutate(file);
    },
    cancel: () => cancelling.current?.abort(new CancelledError()),
  };
}

class CancelledError extends Error {}

/** Whether the server refused the file itself. Its message says what to change. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 4155;
}

/** Saves the upload of a file that would be refused. The server checks all of it. */
async function findProblem(file: File): Promise<string | null> {
  if (file.size > LIMITS.videoBytes) return refuseVideo(VIDEO_TOO_LARGE);
  const head = new Uint8Array(await file.slice(0, VIDEO_HEAD_BYTES).arrayBuffer());
  return detectVideoType(head) === null ? refuseVideo('neither an MP4 nor a WebM') : null;
}
