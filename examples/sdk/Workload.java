// The same in Java; see workload.py.
import java.io.*;
import java.nio.file.*;
import java.util.*;

class Workload {
	static PrintStream out;

	static void tell(String json) {
		if (out != null)
			out.println(json);
	}

	public static void main(String[] args) throws IOException {
		String to = System.getenv("SIMRUN_OUTPUT"), cached = null;
		boolean bug = "1".equals(System.getenv("BUG"));
		if (to != null)
			out = new PrintStream(new FileOutputStream(to, true), true);
		Path file = Files.createTempFile("register", "");
		Random random = new Random();
		tell("{\"simrun\":\"setup_complete\"}");
		for (int n = 0; n < 20; n++) {
			if (random.nextBoolean()) {
				tell("{\"type\":\"invoke\",\"process\":1,\"f\":\"put\",\"key\":\"k\",\"value\":\"v" + n + "\"}");
				Files.writeString(file, "v" + n);
				tell("{\"type\":\"ok\",\"process\":1}");
			} else {
				tell("{\"type\":\"invoke\",\"process\":1,\"f\":\"get\",\"key\":\"k\"}");
				String value = Files.readString(file);
				if (bug)
					value = cached = cached != null ? cached : value;
				tell("{\"type\":\"ok\",\"process\":1,\"value\":\"" + value + "\"}");
				tell("{\"simrun\":\"sometimes\",\"message\":\"java read something\",\"condition\":" + !value.isEmpty()
						+ ",\"location\":\"Workload.java:34\"}");
			}
		}
		tell("{\"simrun\":\"event\",\"name\":\"java is done\",\"details\":{\"operations\":20}}");
	}
}
