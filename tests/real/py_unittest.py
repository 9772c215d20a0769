#!/usr/bin/python3
# A suite of tests as people write them.
import concurrent.futures, multiprocessing, os, shutil, sqlite3, subprocess, sys, tempfile, threading, unittest

def square(x):
    return x * x

class All(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.dir)

    def test_pool(self):
        with multiprocessing.Pool(2) as pool:
            self.assertEqual(pool.map(square, range(20)), [x * x for x in range(20)])

    def test_executor(self):
        with concurrent.futures.ThreadPoolExecutor(3) as ex:
            self.assertEqual(sum(ex.map(square, range(50))), 40425)

    def test_pipeline(self):
        a = subprocess.Popen(["sort", "-n"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        out, _ = a.communicate("\n".join(str(i) for i in range(5000, 0, -1)))
        self.assertEqual(out.split()[:3], ["1", "2", "3"])

    def test_timeout(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            subprocess.run(["sleep", "1000"], timeout=5)

    def test_database(self):
        db = sqlite3.connect(os.path.join(self.dir, "db"))
        db.execute("create table t(x)")
        db.executemany("insert into t values (?)", [(i,) for i in range(100)])
        db.commit()
        self.assertEqual(db.execute("select sum(x) from t").fetchone(), (4950,))

    def test_condition(self):
        c, seen = threading.Condition(), []
        def wait():
            with c:
                c.wait_for(lambda: len(seen) == 3, timeout=10)
        t = threading.Thread(target=wait)
        t.start()
        for i in range(3):
            with c:
                seen.append(i)
                c.notify_all()
        t.join(20)
        self.assertFalse(t.is_alive())

if __name__ == "__main__":
    unittest.main(verbosity=2)
