using System;
using System.Collections.Generic;
using System.Data;
using System.IO;
using System.Linq;
using System.Web;

/// <summary>Orders, in a file with a line for each: id, version, title, quantity, delivery.</summary>
public static class Orders
{
    static readonly object Lock = new object();
    static string File { get { return Environment.GetEnvironmentVariable("ORDERS"); } }

    static List<string[]> Read()
    {
        return System.IO.File.ReadAllLines(File).Select(line => line.Split('\t')).ToList();
    }

    static void Write(IEnumerable<string[]> rows)
    {
        System.IO.File.WriteAllLines(File, rows.Select(row => string.Join("\t", row)).ToArray());
    }

    public static DataTable All()
    {
        var table = new DataTable();
        foreach (var name in new[] { "Id", "Version", "Title", "Quantity", "Delivery" }) table.Columns.Add(name);
        lock (Lock) foreach (var row in Read().Skip(1)) table.Rows.Add(row);
        return table;
    }

    public static string[] Find(string id)
    {
        lock (Lock) return Read().Skip(1).FirstOrDefault(row => row[0] == id);
    }

    /// <summary>The first line has the next id.</summary>
    public static string Add(string title, string quantity, string delivery)
    {
        lock (Lock)
        {
            var rows = Read();
            var id = rows[0][0];
            rows[0] = new[] { (int.Parse(id) + 1).ToString() };
            rows.Add(new[] { id, NewVersion(), title, quantity, delivery });
            Write(rows);
            return id;
        }
    }

    /// <summary>False where somebody else has changed it meanwhile.</summary>
    public static bool Change(string id, string version, string title, string quantity)
    {
        lock (Lock)
        {
            var rows = Read();
            var row = rows.Skip(1).FirstOrDefault(one => one[0] == id && one[1] == version);
            if (row == null) return false;
            row[1] = NewVersion();
            row[2] = title;
            row[3] = quantity;
            Write(rows);
            return true;
        }
    }

    public static void Delete(string id)
    {
        lock (Lock) { var rows = Read(); Write(rows.Where((row, at) => at == 0 || row[0] != id)); }
    }

    static string NewVersion() { return Guid.NewGuid().ToString("N").Substring(0, 8); }
}
