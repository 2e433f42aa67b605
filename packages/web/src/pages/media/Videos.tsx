// The videos of a game in the order players see, and the upload of another one.
import { type ApiError, isError } from '@chauffeur/contract/errors';
import { formatClock } from '@chauffeur/contract/format';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { type OutputOf, pathOf } from '@chauffeur/contract/operation';
import {
  addGameVideo,
  deleteGameVideo,
  listGameVideos,
  orderGameVideos,
  type VIDEO_STATES,
} from '@chauffeur/contract/operations/videos';
import { detectVideoType, refuseVideo, VIDEO_HEAD_BYTES, VIDEO_TOO_LARGE } from '@chauffeur/contract/video-rules';
import { Button, Group, Progress, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ask, call } from '../../api.ts';
import { upload } from '../../file-transfer.ts';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { Notice } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { UnsavedWarning } from '../../ui/UnsavedWarning.tsx';
import { DropFiles, MoveButton } from './MediaControls.tsx';
import classes from './MediaPage.module.css';
import { moved } from './media-rules.ts';

const STATES: Readonly<Record<(typeof VIDEO_STATES)[number], { tone: Tone; label: string }>> = {
  pending: { tone: 'busy', label: 'Being checked' },
  clean: { tone: 'good', label: 'On the page' },
  unscanned: { tone: 'good', label: 'On the page' },
  infected: { tone: 'bad', label: 'Rejected' },
  error: { tone: 'bad', label: 'Rejected' },
};

export function Videos({ gameUid, gameName }: { gameUid: string; gameName: string }) {
  const { query, adding, ordering, deleting } = useVideos(gameUid);
  const mayChange = useMay(orderGameVideos);
  const [doomed, setDoomed] = useState<Video | null>(null);
  const videos = query.data?.videos ?? [];
  const uids = videos.map(({ uid }) => uid);
  const isBusy = ordering.isPending || deleting.isPending || !mayChange;
  return (
    <Stack gap="xs" component="section" aria-label="Videos">
      <Title order={2} size="h4">
        Videos
      </Title>
      <Text size="sm" c="dimmed">
        {videos.length} of {LIMITS.videoFiles} videos. MP4 or WebM, at most {LIMITS.videoBytes / MIB} MB each. Players
        see them once they have been scanned for viruses. Videos on YouTube and Vimeo are part of the listing.{' '}
        <DocLink page="store-page#upload-videos">Formats</DocLink>
      </Text>
      {query.error !== null && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {ordering.error !== null && <Problem error={ordering.error} />}
      {query.isPending && <Skeleton h={160} />}
      <ol className={classes.videos}>
        {videos.map((video, index) => (
          <VideoItem
            key={video.uid}
            video={video}
            no={index + 1}
            count={videos.length}
            gameName={gameName}
            isBusy={isBusy}
            onMove={(to) => ordering.mutate(moved(uids, index, to))}
            onDelete={() => setDoomed(video)}
          />
        ))}
      </ol>
      <Permitted operation={addGameVideo}>
        <Adding adding={adding} isFull={videos.length >= LIMITS.videoFiles} />
      </Permitted>
      {doomed !== null && (
        <ConfirmDialog
          title="Delete video"
          confirmLabel="Delete video"
          isBusy={deleting.isPending}
          error={deleting.error}
          onConfirm={() => deleting.mutate(doomed, { onSuccess: () => setDoomed(null) })}
          onClose={() => {
            deleting.reset();
            setDoomed(null);
          }}
        >
          <Text size="sm">
            {doomed.filename} is deleted permanently, and players no longer see it on the page of the game.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

type AddingProps = { adding: ReturnType<typeof useVideos>['adding']; isFull: boolean };

function Adding({ adding: { file, share, added, error, problem, start, cancel }, isFull }: AddingProps) {
  const percent = Math.floor(share * 100);
  return (
    <>
      <div role="status">{added !== null && <Text size="sm">{added.filename} was uploaded.</Text>}</div>
      {file !== null && (
        <Group gap="sm">
          <Text size="sm">
            {share < 1 ? `Uploading ${file.name}: ${percent}%` : `Checking the format of ${file.name}`}
          </Text>
          <Progress value={percent} flex={1} miw={120} aria-label={`Upload of ${file.name}`} />
          <Button size="compact-sm" variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      )}
      {problem !== null && (
        <div role="alert">
          <Notice tone="bad" title="The video was not uploaded">
            <Text size="sm">{problem}</Text>
          </Notice>
        </div>
      )}
      {error !== null && <Problem error={error} />}
      {file === null && !isFull && (
        <DropFiles
          label="Upload video"
          hint="or drop a video here"
          accepted="video/mp4,video/webm"
          isBusy={false}
          onFiles={([first]) => first !== undefined && void start(first)}
        />
      )}
      {isFull && file === null && (
        <Text size="sm" c="dimmed">
          To upload another one, delete a video first.
        </Text>
      )}
      <UnsavedWarning isActive={file !== null} title="A video is being uploaded" leaveLabel="Cancel the upload">
        If you leave this page, the upload is cancelled.
      </UnsavedWarning>
    </>
  );
}

type VideoItemProps = {
  video: Video;
  no: number;
  count: number;
  gameName: string;
  isBusy: boolean;
  onMove: (to: number) => void;
  onDelete: () => void;
};

function VideoItem({ video, no, count, gameName, isBusy, onMove, onDelete }: VideoItemProps) {
  const { url, filename, width, height, duration_seconds: seconds, size, status, detail } = video;
  const { tone, label } = STATES[status];
  return (
    <li className={classes.shot}>
      {status === 'clean' || status === 'unscanned' ? (
        // biome-ignore lint/a11y/useMediaCaption: uploaded videos have no captions
        <video
          className={classes.video}
          // Shows the frame at this time instead of nothing, which some browsers show until the video plays.
          src={`${url}#t=0.1`}
          controls
          playsInline
          preload="metadata"
          aria-label={`Video ${no} of ${gameName}`}
        />
      ) : (
        <div className={classes.image} />
      )}
      <Group gap={4} mt={4} wrap="nowrap">
        <Text size="sm" truncate flex={1} title={filename}>
          {no}. {filename}
        </Text>
        <MoveButton
          name={`video ${no}`}
          direction="earlier"
          isDisabled={isBusy || no === 1}
          onMove={() => onMove(no - 2)}
        />
        <MoveButton
          name={`video ${no}`}
          direction="later"
          isDisabled={isBusy || no === count}
          onMove={() => onMove(no)}
        />
        <Button
          size="compact-xs"
          variant="default"
          disabled={isBusy}
          aria-label={`Delete video ${no}`}
          onClick={onDelete}
        >
          Delete
        </Button>
      </Group>
      <Group gap="xs" mt={4}>
        <StateBadge tone={tone}>{label}</StateBadge>
        <Text size="sm" c="dimmed">
          {seconds !== null && `${formatClock(seconds)} · `}
          {width}×{height} · <Bytes count={size} />
        </Text>
      </Group>
      {detail !== null && <Text size="sm">{detail}</Text>}
    </li>
  );
}

type VideoSet = OutputOf<typeof listGameVideos>;
type Video = VideoSet['videos'][number];

/** How often the list is loaded during a scan, which takes seconds. */
const POLL_MS = 3000;

/** Uploads, reorders and deletes the videos of a game. Each call returns the updated list of videos. */
function useVideos(gameUid: string) {
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
    /** Why the file was not uploaded, although nothing is wrong with it. */
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
  return isError(error, 'videoRefused');
}

/** What is wrong with a file, so that it isn't uploaded only to be refused. The server checks all of it. */
async function findProblem(file: File): Promise<string | null> {
  if (file.size > LIMITS.videoBytes) return refuseVideo(VIDEO_TOO_LARGE);
  const head = new Uint8Array(await file.slice(0, VIDEO_HEAD_BYTES).arrayBuffer());
  return detectVideoType(head) === null ? refuseVideo('neither an MP4 nor a WebM') : null;
}
