// The media of a game's page: cover, thumbnail, screenshots and videos.
import { LIMITS } from '@chauffeur/contract/limits';
import { addGameMedia, listGameMedia, orderGameMedia } from '@chauffeur/contract/operations/media';
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ask } from '../../api.ts';
import { Notice, PageHead } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useGame } from '../games/use-game.ts';
import type { Refused } from './check-image.ts';
import { DropFiles } from './DropFiles.tsx';
import { Gallery } from './Gallery.tsx';
import classes from './MediaPage.module.css';
import { useImages } from './use-images.ts';
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
              {mayOrder && ' Drag screenshots to reorder them, or use the arrows.'}
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

/** The images that were not uploaded and why, with a preview of the crop for images with the wrong aspect ratio. */
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
