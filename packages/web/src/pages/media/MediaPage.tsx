// The media of a game's page: cover, thumbnail, screenshots and videos.
import { LIMITS } from '@chauffeur/contract/limits';
import { addGameMedia, listGameMedia, orderGameMedia } from '@chauffeur/contract/operations/media';
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { useMay } from '../../frame/own-role.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useGame } from '../games/use-game.ts';
import { DropFiles } from './DropFiles.tsx';
import { Gallery } from './Gallery.tsx';
import classes from './MediaPage.module.css';
import { RefusedImages } from './RefusedImages.tsx';
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
