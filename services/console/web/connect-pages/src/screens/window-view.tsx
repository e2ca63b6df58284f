import { type ReactNode, useEffect } from 'react';
import { Text, useWording } from '../texts/texts';

/** The end of a window that a page in a frame has opened. It closes itself where the browser lets it. */
export function WindowView(): ReactNode {
  const { texts } = useWording();
  useEffect(() => close(), []);
  return (
    <>
      <h1>{texts.window.title}</h1>
      <p>
        <Text of={texts.window.next} />
      </p>
    </>
  );
}
