// Shows the images of a game in the whole window. Arrow keys or buttons change the image, Escape closes.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { Button, Group, Text } from '@mantine/core';
import type { KeyboardEvent, Ref } from 'react';
import { Picture as Image } from '../../ui/Picture.tsx';
import classes from './Gallery.module.css';

export type Picture = OutputOf<typeof getPublicGame>['gallery'][number];

type PictureViewerProps = {
  ref: Ref<HTMLDialogElement>;
  pictures: readonly Picture[];
  gameName: string;
  index: number;
  /** Images are loaded only once the viewer was opened. */
  wasOpened: boolean;
  onTurn: (index: number) => void;
};

export function PictureViewer({ ref, pictures, gameName, index, wasOpened, onTurn }: PictureViewerProps) {
  const picture = pictures[index];
  const turn = (by: number) => onTurn((index + by + pictures.length) % pictures.length);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') turn(-1);
    if (key === 'ArrowRight') turn(1);
  };
  return (
    <dialog ref={ref} className={classes.viewer} aria-label={`Images of ${gameName}`} onKeyDown={onKeyDown}>
      {wasOpened && picture !== undefined && (
        <Image picture={picture} sizes="96vw" alt={`${gameName}, image ${index + 1} of ${pictures.length}`} />
      )}
      <form method="dialog">
        <Group justify="center" gap="sm" p="sm">
          {pictures.length > 1 && (
            <>
              <Button variant="default" size="xs" onClick={() => turn(-1)}>
                Previous
              </Button>
              <Text size="sm" role="status">
                {index + 1} of {pictures.length}
              </Text>
              <Button variant="default" size="xs" onClick={() => turn(1)}>
                Next
              </Button>
            </>
          )}
          <Button type="submit" size="xs">
            Close
          </Button>
        </Group>
      </form>
    </dialog>
  );
}
