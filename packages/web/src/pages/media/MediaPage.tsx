// The media of a game's page: cover, thumbnail, screenshots and videos.
import type { ImageKind } from '@chauffeur/contract/image-rules';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGame, listGames } from '@chauffeur/contract/operations/games';
import { addGameMedia, deleteGameMedia, listGameMedia, orderGameMedia } from '@chauffeur/contract/operations/media';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ask, call, send } from '../../api.ts';
import { offerUndo } from '../../frame/offer-undo.ts';
import { Notice, PageHead } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useGame } from '../games/use-game.ts';
import { DropFiles, MoveButton } from './MediaControls.tsx';
import classes from './MediaPage.module.css';
import { checkImage, moved, type Refused } from './media-rules.ts';
import { Videos } from './Videos.tsx';

const IMAGE_TYPES = 'image/png,image/jpeg,image/gif,image/webp';

const SINGLES = [
  {
    kind: 'cover',
    title: 'Cover',
    description: "Shown at the top of the game's page. At least 1024×576, about 16:9.",
    uploadLabel: 'Upload cover',
    replaceLabel: 'Replace cover',
  },
  {
    kind: 'thumbnail',
    title: 'Thumbnail',
    description: 'Shown on shelves and in search results. At least 960×540, about 16:9.',
    uploadLabel: 'Upload thumbnail',
    replaceLabel: 'Replace thumbnail',
  },
] as const;

export function MediaPage() {
  const game = useGame();
  const { data, error, isPending, refetch } = useQuery(ask(listGameMedia, { uid: game.game_uid }));
  const images = useImages(game.game_uid);
  const mayOrder = useMay(orderGameMedia);
  return (
    <Stack gap="lg">
      <div>
        <PageHead title="Media" tabTitle={`Media · ${game.name}`} />
        <div role="status">{images.message !== null && <Text size="sm">{images.message}</Text>}</div>
      </div>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {images.error !== null && <Problem error={images.error} />}
      {images.refused.length > 0 && <RefusedImages refused={images.refused} />}
      {isPending && <Skeleton h={400} />}
      {data !== undefined && (
        <>
          <div className={classes.singles}>
            {SINGLES.map(({ kind, title, description, uploadLabel, replaceLabel }) => (
              <Stack key={kind} gap="xs" component="section" aria-label={title}>
                <Title order={2} size="h4">
                  {title}
                </Title>
                {data[kind] !== null && (
                  <img className={classes.image} src={data[kind].url} alt={`${title} of ${game.name}`} />
                )}
                <Text size="sm" c="dimmed">
                  {description}
                </Text>
                <Permitted operation={addGameMedia}>
                  <DropFiles
                    hint="or drop an image here"
                    accepted={IMAGE_TYPES}
                    label={data[kind] === null ? uploadLabel : replaceLabel}
                    isBusy={images.isPending}
                    onFiles={(files) => images.add(kind, files.slice(0, 1))}
                  />
                </Permitted>
              </Stack>
            ))}
          </div>
          <Stack gap="xs" component="section" aria-label="Gallery">
            <Title order={2} size="h4">
              Gallery
            </Title>
            <Text size="sm" c="dimmed">
              {data.gallery.length} of {LIMITS.galleryImages} screenshots. At least 1280×720, about 16:9.
              {mayOrder && data.gallery.length > 1 && ' Drag screenshots to reorder them, or use the arrows.'}
            </Text>
            <Gallery
              images={data.gallery}
              isBusy={images.isPending || !mayOrder}
              onOrder={images.order}
              onDelete={images.remove}
            />
            <Permitted operation={addGameMedia}>
              <DropFiles
                label="Add screenshots"
                hint="or drop images here"
                accepted={IMAGE_TYPES}
                isMultiple
                isBusy={images.isPending}
                onFiles={(files) => images.add('screenshot', files)}
              />
            </Permitted>
          </Stack>
        </>
      )}
      <Videos gameUid={game.game_uid} gameName={game.name} />
    </Stack>
  );
}

/**
 * Shows the images that were not uploaded and why, with a preview of the crop for images with the wrong aspect ratio.
 */
function RefusedImages({ refused }: { refused: readonly Refused[] }) {
  return (
    <div role="alert">
      <Notice tone="bad" title="Nothing was uploaded">
        <ul className={classes.refused}>
          {refused.map(({ file, problem, cut }) => (
            <li key={file.name}>
              {file.name}: {problem}
              {cut !== null && (
                <>
                  <Text size="sm">{cut.description}</Text>
                  <CutPicture file={file} cut={cut} />
                </>
              )}
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

type CutPictureProps = { file: File; cut: NonNullable<Refused['cut']> };

/** The cropped parts are darkened, and a frame surrounds the rest. */
function CutPicture({ file, cut: { crop, description, width, height } }: CutPictureProps) {
  const url = useFileUrl(file);
  if (url === null) return null;
  return (
    <svg className={classes.picture} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={description}>
      <image href={url} width={width} height={height} />
      <path
        className={classes.cut}
        fillRule="evenodd"
        d={`M0 0H${width}V${height}H0ZM${crop.left} ${crop.top}h${crop.width}v${crop.height}h${-crop.width}Z`}
      />
      <rect className={classes.frame} x={crop.left} y={crop.top} width={crop.width} height={crop.height} />
    </svg>
  );
}

function useFileUrl(file: File): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const created = URL.createObjectURL(file);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [file]);
  return url;
}

type ImageSet = OutputOf<typeof listGameMedia>;
type Image = ImageSet['gallery'][number];

type GalleryProps = {
  images: readonly Image[];
  isBusy: boolean;
  onOrder: (uids: string[]) => void;
  onDelete: (image: Image) => void;
};

/** The screenshots in the order players see, changed by dragging or with arrow buttons. */
function Gallery({ images, isBusy, onOrder, onDelete }: GalleryProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const uids = images.map(({ uid }) => uid);
  const move = (from: number, to: number) => onOrder(moved(uids, from, to));
  const end = () => {
    setDragged(null);
    setOver(null);
  };
  return (
    <ol className={classes.gallery}>
      {images.map((image, index) => (
        <li
          key={image.uid}
          className={classes.shot}
          data-over={over === index && dragged !== index}
          draggable={!isBusy}
          onDragStart={() => setDragged(index)}
          onDragEnd={end}
          onDragOver={(event) => {
            if (dragged === null) return;
            event.preventDefault();
            setOver(index);
          }}
          onDrop={(event) => {
            if (dragged === null) return;
            event.preventDefault();
            if (dragged !== index) move(dragged, index);
            end();
          }}
        >
          <Shot
            image={image}
            index={index}
            isLast={index === images.length - 1}
            isBusy={isBusy}
            onMove={move}
            onDelete={() => onDelete(image)}
          />
        </li>
      ))}
    </ol>
  );
}

type ShotProps = {
  image: Image;
  index: number;
  isLast: boolean;
  isBusy: boolean;
  onMove: (from: number, to: number) => void;
  onDelete: () => void;
};

function Shot({ image, index, isLast, isBusy, onMove, onDelete }: ShotProps) {
  return (
    <>
      <img
        className={classes.image}
        src={image.url}
        alt={`Screenshot ${index + 1}: ${image.filename}`}
        draggable={false}
      />
      <Group gap={4} mt={4} wrap="nowrap">
        <Text size="sm" truncate flex={1} title={image.filename}>
          {index + 1}. {image.filename}
        </Text>
        <MoveButton
          name={`screenshot ${index + 1}`}
          direction="earlier"
          isDisabled={isBusy || index === 0}
          onMove={() => onMove(index, index - 1)}
        />
        <MoveButton
          name={`screenshot ${index + 1}`}
          direction="later"
          isDisabled={isBusy || isLast}
          onMove={() => onMove(index, index + 1)}
        />
        <Button
          size="compact-xs"
          variant="default"
          disabled={isBusy}
          aria-label={`Delete screenshot ${index + 1}`}
          onClick={onDelete}
        >
          Delete
        </Button>
      </Group>
    </>
  );
}

/** `message` is shown when the change is done; '' if it is shown with a button that undoes it. */
type Change = { message: string; run: () => Promise<ImageSet> };

const UPLOADED: Readonly<Record<ImageKind, string>> = {
  cover: 'Cover uploaded.',
  thumbnail: 'Thumbnail uploaded.',
  screenshot: 'Screenshot uploaded.',
};

/** Uploads, reorders and deletes the images of a game. Each call returns the updated set of images. */
function useImages(gameUid: string) {
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
