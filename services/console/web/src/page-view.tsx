import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { PageData, Screen } from '../../src/screens/screens';
import { LogoProvider } from './heading';
import { OriginsProvider, useMessage } from './messages';
import { ErrorView } from './screens/error-view';
import { PlacesView } from './screens/places-view';
import { ReviewView } from './screens/review-view';
import { SearchView } from './screens/search-view';
import { WindowView } from './screens/window-view';
import { WordingProvider, wordingOf } from './texts/texts';
import { ThemeSwitch } from './theme-switch';

/** A page, as the server renders it and the browser takes it over. */
export function PageView({ data }: { data: PageData }): ReactNode {
  const [client] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={client}>
      <WordingProvider value={wordingOf(data.language, data.appName)}>
        <main>
          <LogoProvider value={data.appLogo}>
            <OriginsProvider value={data.messageOrigins}>
              <ScreenView screen={data.screen} />
            </OriginsProvider>
          </LogoProvider>
        </main>
        <footer>
          <ThemeSwitch />
        </footer>
      </WordingProvider>
    </QueryClientProvider>
  );
}

function ScreenView({ screen }: { screen: Screen }): ReactNode {
  useMessage({ tributary: 'opened' });
  switch (screen.name) {
    case 'search':
      return <SearchView screen={screen} />;
    case 'review':
      return <ReviewView screen={screen} />;
    case 'places':
      return <PlacesView screen={screen} />;
    case 'window':
      return <WindowView />;
    case 'error':
      return <ErrorView screen={screen} />;
  }
}
