import './style.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { queryClient } from './api/queries';
import { facts } from './facts';
import { ConsoleRoutes } from './routes';

const root = document.getElementById('page');
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter basename={facts.root}>
          <ConsoleRoutes />
        </BrowserRouter>
      </QueryClientProvider>
    </StrictMode>,
  );
