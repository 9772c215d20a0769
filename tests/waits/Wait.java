/** A loop that counts while it waits for another thread. */
class Wait {
	static volatile boolean done;
	static int n;

	public static void main(String[] args) throws Exception {
		Thread t = new Thread(() -> {
			try {
				Thread.sleep(5);
			} catch (InterruptedException e) {
				return;
			}
			done = true;
		});
		t.start();
		while (!done)
			n++;
		t.join();
		System.out.println("ok");
	}
}
