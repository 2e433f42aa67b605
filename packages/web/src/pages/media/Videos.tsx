// The videos of a game in the order players see, and the upload of another one.
import { formatClock } from '@chauffeur/contract/format';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { addGameVideo, orderGameVideos, type VIDEO_STATES } from '@chauffeur/contract/operations/videos';
import { Button, Group, Progress, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Bytes } from '../../ui/Facts.tsx';
import { Notice } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { UnsavedWarning } from '../../ui/UnsavedWarning.tsx';
import { DropFiles } from './DropFiles.tsx';
import classes from './MediaPage.module.css';
import { MoveButton } from './MoveButton.tsx';
import { moved } from './moved.ts';
import { useVideos, type Video } from './use-videos.ts';

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
