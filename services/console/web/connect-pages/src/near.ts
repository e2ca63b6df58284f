import { useState, useSyncExternalStore } from 'react';

export interface Near {
  /** `loading` before the script runs; `absent` where the browser has no positions. */
  state: 'loading' | 'absent' | 'off' | 'asking' | 'on' | 'failed';
  /** While it is on: rounded degrees of latitude and longitude. */
  place: string | undefined;
  toggle: () => void;
}

const options = { enableHighAccuracy: false, timeout: 10_000, maximumAge: 600_000 };
const never = (): (() => void) => () => undefined;

/**
 * Where the user is, once the user wants that. The place stays in the memory of this document, and is rounded to a
 * tenth of a degree, about ten kilometers.
 */
export function useNear(): Near {
  const without = useSyncExternalStore(
    never,
    () => ('geolocation' in navigator ? undefined : 'absent'),
    () => 'loading' as const,
  );
  const [{ state, place }, set] = useState<Pick<Near, 'state' | 'place'>>({ state: 'off', place: undefined });
  const toggle = (): void => {
    if (state === 'asking') return;
    if (state === 'on') return set({ state: 'off', place: undefined });
    set({ state: 'asking', place: undefined });
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) =>
        set({ state: 'on', place: `${latitude.toFixed(1)},${longitude.toFixed(1)}` }),
      () => set({ state: 'failed', place: undefined }),
      options,
    );
  };
  return { state: without ?? state, place, toggle };
}
