// needs: java javac
// Threads, ScheduledExecutor, a default heap and its garbage collector, NIO files, processes, sockets, hash order.
import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

class Java {
	static void check(boolean ok, String what) {
		if (!ok)
			throw new AssertionError(what);
	}

	static void threads() throws Exception {
		var order = new ConcurrentLinkedQueue<Integer>();
		var pool = Executors.newFixedThreadPool(4);
		var sum = new AtomicLong();
		for (int i = 0; i < 20; i++) {
			int n = i;
			pool.submit(() -> {
				Thread.sleep(ThreadLocalRandom.current().nextInt(20));
				order.add(n);
				return sum.addAndGet(n);
			});
		}
		pool.shutdown();
		check(pool.awaitTermination(60, TimeUnit.SECONDS), "the pool ends");
		check(sum.get() == 190, "sum");
		System.out.println("threads " + order);
		var total = java.util.stream.IntStream.range(0, 10000).parallel().mapToLong(i -> i).sum();
		check(total == 49995000L, "parallel stream");
	}

	static void scheduled() throws Exception {
		var executor = Executors.newScheduledThreadPool(2);
		var ticks = new AtomicInteger();
		long from = System.nanoTime();
		executor.scheduleAtFixedRate(ticks::incrementAndGet, 100, 100, TimeUnit.MILLISECONDS);
		var late = executor.schedule(() -> System.nanoTime() - from, 2, TimeUnit.SECONDS);
		long took = late.get();
		check(took >= 2_000_000_000L && took < 2_100_000_000L, "took " + took);
		executor.shutdownNow();
		check(ticks.get() >= 18 && ticks.get() <= 21, "ticks " + ticks);
		System.out.println("scheduled " + ticks + " " + took + " " + System.currentTimeMillis());
	}

	static void heap() {
		var keep = new ArrayList<byte[]>();
		for (int i = 0; i < 1500; i++) {
			byte[] b = new byte[100_000];
			b[i] = 1;
			if (i % 20 == 0)
				keep.add(b);
		}
		System.gc();
		var r = Runtime.getRuntime();
		check(keep.size() == 75, "kept");
		System.out.println("heap " + r.availableProcessors() + " " + r.maxMemory() / 1000000);
	}

	static void files() throws Exception {
		Path dir = Files.createTempDirectory("nio");
		Path f = dir.resolve("data");
		try (var c = FileChannel.open(f, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			var map = c.map(FileChannel.MapMode.READ_WRITE, 0, 8192);
			map.putInt(4096, 42);
			map.force();
			try (var lock = c.lock()) {
				var b = ByteBuffer.allocate(4);
				c.read(b, 4096);
				check(b.flip().getInt() == 42, "through the mapping");
			}
		}
		for (int i = 0; i < 5; i++)
			Files.writeString(dir.resolve("f" + i), "x".repeat(i * 1000));
		try (var s = Files.walk(dir)) {
			System.out.println("files " + s.map(Path::getFileName).toList() + " " + Files.getLastModifiedTime(f));
		}
		try (var watch = dir.getFileSystem().newWatchService()) {
			dir.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
			Files.writeString(dir.resolve("new"), "");
			var key = watch.poll(30, TimeUnit.SECONDS);
			check(key != null && key.pollEvents().get(0).context().toString().equals("new"), "watched");
		}
	}

	static void processes() throws Exception {
		var p = new ProcessBuilder("sh", "-c", "read x; echo $x $$; sleep 0.2; exit 3").redirectErrorStream(true).start();
		p.outputWriter().append("word\n").close();
		System.out.print("processes " + p.inputReader().readLine() + "\n");
		check(p.waitFor() == 3, "status");
		var victim = new ProcessBuilder("sleep", "1000").start();
		check(!victim.waitFor(500, TimeUnit.MILLISECONDS), "runs");
		victim.destroy();
		check(victim.waitFor() == 143, "terminated");
	}

	static void sockets() throws Exception {
		var selector = Selector.open();
		var server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
		server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
		int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
		var clients = new ArrayList<Thread>();
		var bad = new AtomicInteger();
		for (int i = 0; i < 3; i++) {
			int n = i;
			var t = new Thread(() -> {
				try (var s = new Socket("127.0.0.1", port)) {
					s.getOutputStream().write(("hello " + n + "\n").getBytes());
					var line = new BufferedReader(new InputStreamReader(s.getInputStream())).readLine();
					if (!("hello " + n).equals(line))
						bad.incrementAndGet();
				} catch (IOException e) {
					bad.incrementAndGet();
				}
			});
			t.start();
			clients.add(t);
		}
		int closed = 0;
		while (closed < 3) {
			selector.select(5000);
			for (var it = selector.selectedKeys().iterator(); it.hasNext();) {
				var key = it.next();
				it.remove();
				if (key.isAcceptable()) {
					server.accept().configureBlocking(false).register(selector, SelectionKey.OP_READ);
					continue;
				}
				var c = (SocketChannel) key.channel();
				var b = ByteBuffer.allocate(100);
				if (c.read(b) < 0) {
					c.close();
					closed++;
				} else {
					c.write(b.flip());
				}
			}
		}
		for (var t : clients)
			t.join();
		check(bad.get() == 0, "answers");
	}

	public static void main(String[] args) throws Exception {
		threads();
		scheduled();
		heap();
		files();
		processes();
		sockets();
		Object o = new Object();
		System.out.println(o.hashCode() + " " + UUID.randomUUID() + " " + new Random().nextInt() + " " + Math.random());
		var set = new HashSet<Object>();
		for (int i = 0; i < 5; i++)
			set.add(Thread.State.values()[i]);
		System.out.println(set + " " + ProcessHandle.current().pid() + " " + Set.of("a", "b", "c", "d"));
	}
}
