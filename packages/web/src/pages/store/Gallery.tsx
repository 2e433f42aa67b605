import { useRef, useState } from 'react';
import { Picture as Image } from '../../ui/Picture.tsx';
import classes from './Gallery.module.css';
import type { Picture } from './PictureViewer.tsx';
import { PictureViewer } from './PictureViewer.tsx';

export function Gallery({ pictures, gameName }: { pictures: readonly Picture[]; gameName: string }) {
  const [shown, setShown] = useState(0);
  const [wasOpened, setOpened] = useState(false);
  const viewer = useRef<HTMLDialogElement>(null);
  const index = Math.min(shown, pictures.length - 1);
  const picture = pictures[index];
  if (picture === undefined) return null;
  return (
    <section aria-label={`Images of ${gameName}`}>
      <button
        type="button"
        className={classes.large}
        onClick={() => {
          setOpened(true);
          viewer.current?.showModal();
        }}
        aria-label={`Enlarge image ${index + 1} of ${pictures.length}`}
      >
        <Image picture={picture} sizes="(min-width: 62em) 50rem, 100vw" alt="" />
      </button>
      {pictures.length > 1 && (
        <ul className={classes.strip}>
          {pictures.map((each, position) => (
            <li key={each.uid}>
              <button
                type="button"
                className={classes.small}
                aria-label={`Show image ${position + 1}`}
                aria-current={position === index}
                onClick={() => setShown(position)}
              >
                <Image picture={each} sizes="120px" alt="" lazy />
              </button>
            </li>
          ))}
        </ul>
      )}
      <PictureViewer
        ref={viewer}
        pictures={pictures}
        gameName={gameName}
        index={index}
        wasOpened={wasOpened}
        onTurn={setShown}
      />
    </section>
  );
}
