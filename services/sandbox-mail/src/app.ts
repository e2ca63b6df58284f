import express, { type Express, type Request, type Response } from 'express';
import { z } from 'zod';
import type { Mailbox, Message } from './mailbox';
import { mailPolicy, pagePolicy } from './page-style';
import { listPage, messagePage, notFoundPage } from './pages';

const query = z.object({ to: z.string().optional().catch(undefined) });

/**
 * The pages of the mailbox at `/` and `/messages/{id}`. Programs get the same as JSON at `/messages.json` (of one
 * recipient with `?to=`) and `/messages/{id}.json`, or by `Accept: application/json`.
 */
export function createApp(mailbox: Mailbox): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.use((_request, response, next) => {
    response.set({
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  });
  const listed = (request: Request): readonly Message[] => mailbox.list(query.parse(request.query).to);
  app.get('/healthz', (_request, response) => void response.json({ status: 'live' }));
  app.get('/messages.json', (request, response) => void response.json(listed(request)));
  app.get(['/', '/messages'], (request, response) => {
    if (prefersJson(request)) response.json(listed(request));
    else sendPage(response, 200, listPage(listed(request)));
  });
  app.get(['/messages/:id.json', '/messages/:id.html', '/messages/:id'], (request, response) => {
    const { id = '' } = /^\/messages\/(?<id>[^.]+)/.exec(request.path)?.groups ?? {};
    const message = mailbox.find(id);
    const isJson = request.path.endsWith('.json') || prefersJson(request);
    if (!message) return isJson ? notFoundJson(response) : sendPage(response, 404, notFoundPage());
    if (isJson) response.json(message);
    else if (!request.path.endsWith('.html')) sendPage(response, 200, messagePage(message));
    else
      response
        .set('Content-Security-Policy', mailPolicy)
        .type('html')
        .send(`<!doctype html><meta charset="utf-8"><base target="_blank">${message.html ?? ''}`);
  });
  app.use((request, response) =>
    prefersJson(request) ? notFoundJson(response) : sendPage(response, 404, notFoundPage()),
  );
  return app;
}

/** Programs that accept anything get JSON too; browsers name HTML. */
function prefersJson(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'json';
}

function sendPage(response: Response, status: number, html: string): void {
  response.status(status).set('Content-Security-Policy', pagePolicy).type('html').send(html);
}

function notFoundJson(response: Response): void {
  response.status(404).json({ error: 'there is nothing at this address' });
}
