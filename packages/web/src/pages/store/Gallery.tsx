// The pictures of a game: one large, the others in a strip below it, and all of them over the whole window.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { useRef, useState } from 'react';
import { Picture as Image } from '../../ui/Picture.tsx';
import classes from './Gallery.module.css';
import { PictureViewer } from './PictureViewer.tsx';

export type Picture = OutputOf<typeof getPublicGame>['gallery'][number];

export function Gallery({ pictures, of }: { pictures: readonly Picture[]; of: string }) {
  const [shown, setShown] = useState(0);
  const [wasOpened, setOpened] = useState(false);
  const viewer = useRef<HTMLDialogElement>(null);
  const index = Math.min(shown, pictures.length - 1);
  const picture = pictures[index];
  if (picture === undefined) return null;
  return (
    <section aria-label={`Pictures of ${of}`}>
      <button
        type="button"
        className={classes.large}
        onClick={() => {
          setOpened(true);
          viewer.current?.showModal();
        }}
        aria-label={`Enlarge picture ${index + 1} of ${pictures.length}`}
      >
        <Image picture={picture} sizes="(min-width: 62em) 50rem, 100vw" alt="" />
      </button>
      {pictures.length > 1 && (
        <ul className={classes.strip}>
          {pictures.map((each, place) => (
            <li key={each.uid}>
              <button
                type="button"
                className={classes.small}
                aria-label={`Show picture ${place + 1}`}
                aria-current={place === index}
                onClick={() => setShown(place)}
              >
                <Image picture={each} sizes="120px" alt="" lazy />
              </button>
            </li>
          ))}
        </ul>
      )}
      <PictureViewer ref={viewer} pictures={pictures} of={of} index={index} wasOpened={wasOpened} onTurn={setShown} />
    </section>
  );
}
