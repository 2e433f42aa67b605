// A game’s pictures over the whole window: turned by arrow keys or buttons, closed by Escape.
import { Button, Group, Text } from '@mantine/core';
import type { KeyboardEvent, Ref } from 'react';
import { Picture as Image } from '../../ui/Picture.tsx';
import classes from './Gallery.module.css';
import type { Picture } from './Gallery.tsx';

type PictureViewerProps = {
  ref: Ref<HTMLDialogElement>;
  pictures: readonly Picture[];
  /** The game’s name. */
  of: string;
  index: number;
  /** Before, nothing is loaded for it. */
  wasOpened: boolean;
  onTurn: (index: number) => void;
};

export function PictureViewer({ ref, pictures, of, index, wasOpened, onTurn }: PictureViewerProps) {
  const picture = pictures[index];
  const turn = (by: number) => onTurn((index + by + pictures.length) % pictures.length);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') turn(-1);
    if (key === 'ArrowRight') turn(1);
  };
  return (
    <dialog ref={ref} className={classes.viewer} aria-label={`Pictures of ${of}`} onKeyDown={onKeyDown}>
      {wasOpened && picture !== undefined && (
        <Image picture={picture} sizes="96vw" alt={`${of}, ${index + 1} of ${pictures.length}`} />
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
