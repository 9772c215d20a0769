#!/usr/bin/env node
// needs: node
// Timers, promises, worker_threads, fs.promises, child_process, streams, crypto, http.
'use strict';
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const assert = require('assert');
const child = require('child_process');
const crypto = require('crypto');
const fs = require('fs/promises');
const http = require('http');
const os = require('os');
const path = require('path');
const { promisify } = require('util');
const sleep = promisify(setTimeout);

if (!isMainThread) {
  const shared = new Int32Array(workerData.shared);
  parentPort.on('message', async (n) => {
    await sleep(Math.random() * 20);
    Atomics.add(shared, 0, n);
    Atomics.notify(shared, 0);
    parentPort.postMessage(n * n);
    if (n === 4) process.exit(0);
  });
  return;
}

async function workers() {
  const shared = new SharedArrayBuffer(8);
  const order = [];
  await Promise.all([0, 1, 2].map((w) => new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: { shared } });
    worker.on('message', (sq) => order.push(`${w}:${sq}`));
    worker.on('error', reject);
    worker.on('exit', resolve);
    for (let n = 1; n <= 4; n++) worker.postMessage(n);
  })));
  assert(Atomics.load(new Int32Array(shared), 0) >= 12);
  console.log('workers', order.join(' '));
}

async function timers() {
  const order = [];
  let ticks = 0;
  const interval = setInterval(() => { ticks++; }, 100);
  const all = [...Array(10).keys()].map(async (i) => { await sleep(Math.random() * 50); order.push(i); });
  setImmediate(() => order.push('immediate'));
  process.nextTick(() => order.push('tick'));
  await Promise.all(all);
  await sleep(3000);
  clearInterval(interval);
  assert(ticks >= 25 && ticks <= 31, `ticks ${ticks}`);
  console.log('timers', order.join(','), ticks, Date.now(), performance.now().toFixed(3));
}

async function files() {
  const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'node-'));
  await Promise.all([...Array(8).keys()].map((i) => fs.writeFile(path.join(dir, `f${i}`), crypto.randomBytes(1000 * i))));
  const sizes = await Promise.all((await fs.readdir(dir)).map(async (f) => (await fs.stat(path.join(dir, f))).size));
  assert.deepStrictEqual(sizes, [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000]);
  const handle = await fs.open(path.join(dir, 'f1'));
  console.log('files', dir, (await handle.read(Buffer.alloc(8), 0, 8, 0)).buffer.toString('hex'));
  await handle.close();
  await fs.rm(dir, { recursive: true });
}

async function children() {
  const exec = promisify(child.exec);
  console.log('children', (await Promise.all(['echo $$', 'sleep 0.2; date +%s', 'nproc'].map((c) => exec(c))))
    .map((r) => r.stdout.trim()).join(' '));
  const cat = child.spawn('sort', ['-n']);
  let out = '';
  cat.stdout.on('data', (d) => { out += d; });
  for (let i = 500; i > 0; i--) cat.stdin.write(`${i}\n`);
  cat.stdin.end();
  const status = await new Promise((resolve) => cat.on('close', resolve));
  assert(status === 0 && out.startsWith('1\n2\n') && out.endsWith('500\n'));
  const forked = child.fork('-', [], { execArgv: ['-e', 'process.on("message", (m) => { process.send(m + 1); process.disconnect(); })'] });
  forked.send(41);
  assert.strictEqual(await new Promise((resolve) => forked.on('message', resolve)), 42);
  const victim = child.spawn('sleep', ['1000']);
  setTimeout(() => victim.kill('SIGTERM'), 50);
  assert.strictEqual(await new Promise((resolve) => victim.on('exit', (code, signal) => resolve(signal))), 'SIGTERM');
}

async function requests() {
  const server = http.createServer((req, res) => setTimeout(() => res.end(`hello ${req.url}`), Math.random() * 20));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const order = [];
  await Promise.all([...Array(6).keys()].map(async (i) => {
    assert.strictEqual(await (await fetch(`${base}/${i}`)).text(), `hello /${i}`);
    order.push(i);
  }));
  server.close();
  server.closeAllConnections();
  console.log('requests', order.join(' '), crypto.randomUUID());
}

(async () => {
  await workers();
  await timers();
  await files();
  await children();
  await requests();
  const garbage = [];
  for (let i = 0; i < 200; i++) garbage.push(new Array(5000).fill(i));
  console.log('done', garbage.length, process.pid);
})().catch((e) => { console.error(e); process.exit(1); });
